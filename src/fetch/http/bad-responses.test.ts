// Tests invalid responses, sent byte by byte. Each response ends in its failure, and the next fetch works.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { failing, get, openFetchFor } from '../../../test/fetching.ts'
import { type RawHandler, startRawServer } from '../../../test/site/raw-server.ts'
import { startTlsServer } from '../../../test/site/tls-server.ts'
import { type FailureCode, failures } from '../../model/failures.ts'
import { statusFailure } from './status.ts'

interface BadResponse {
  id: string
  name: string
  raw_base64?: string
  expect: string
}

const file = new URL('../../../test/vectors/bad-inputs/http-responses.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: BadResponse[] }

/** Maps the error classes of the vectors to our failure codes. If a vector allows several outcomes, we use the strict
 *  one. */
const codes: [expectation: RegExp, code: FailureCode | null][] = [
  [/^success/, null],
  [/^error:protocol/, 'http.protocol'],
  [/^error:truncated/, 'body.truncated'],
  [/^error:(decode$|unsupported_encoding)/, 'body.undecodable'],
  [/^error:(decoded_)?too_large/, 'body.too-large'],
  [/^error:bad_redirect/, 'redirect.bad'],
  [/^error:connection/, 'connection.lost'],
  [/^error:tls/, 'tls.failed'],
  [/^retry later/, 'host.throttled'],
  [/^default backoff/, 'host.unavailable'],
]

const codeFor = (expect: string): FailureCode | null => {
  const row = codes.find(([pattern]) => pattern.test(expect))
  assert.ok(row, `no code for "${expect}"`)
  return row[1]
}

const byId = (id: string) => cases.find(each => each.id === id)!

function oneRule(code: FailureCode, expect: string): void {
  if (/retry/.test(expect)) assert.equal(failures[code].retry, /no retry/.test(expect) ? 'never' : 'later')
}

for (const { id, name, raw_base64: raw, expect } of cases.filter(each => each.raw_base64 !== undefined)) {
  test(`the bad response ${id} (${name}) gives: ${expect}`, async () => {
    await using server = await startRawServer(Buffer.from(raw!, 'base64'))
    await using http = openFetchFor([server])
    const failure = await get(http.fetch, server.url).then(
      page => statusFailure(page, Date.now()),
      error => error,
    )
    assert.equal(failure?.code ?? null, codeFor(expect), failure?.message)
    if (failure) oneRule(failure.code, expect)
  })
}

const head = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`

const endless: RawHandler = socket => {
  const chunk = Buffer.alloc(65_536, 'x')
  socket.write(head('content-type: text/html'))
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

const tripleGzip: RawHandler = socket => {
  const bomb = gzipSync(gzipSync(gzipSync(Buffer.alloc(20_000_000))))
  socket.end(
    Buffer.concat([
      Buffer.from(head(`content-encoding: gzip, gzip, gzip\r\ncontent-length: ${bomb.length}`)),
      bomb,
    ]),
  )
}

const generated: Record<string, RawHandler> = {
  'rsp-028': tripleGzip,
  'rsp-029': socket => void socket.end(`${head(`content-encoding: ${Array(60).fill('gzip').join(', ')}`)}hi`),
  'rsp-032': endless,
  'rsp-034': socket =>
    void socket.write(`${head('content-length: 1000')}half`, () => socket.resetAndDestroy()),
}

for (const [id, handler] of Object.entries(generated)) {
  const { name, expect } = byId(id)
  test(`the bad response ${id} (${name}) gives: ${expect}`, async () => {
    await using server = await startRawServer(handler)
    await using http = openFetchFor([server])
    oneRule((await failing(get(http.fetch, server.url), codeFor(expect)!)).code, expect)
  })
}

for (const kind of ['wrong-name', 'expired', 'self-signed'] as const) {
  const { id, expect } = byId('rsp-035')
  test(`a TLS certificate of the kind "${kind}" (${id}) gives: ${expect}`, async () => {
    await using server = await startTlsServer({ kind })
    await using http = openFetchFor([server], { caFile: server.caFile })
    const failure = await failing(get(http.fetch, server.url), codeFor(expect)!)
    oneRule(failure.code, expect)
    assert.equal(server.requests.length, 0)
  })
}

test('every vector of a bad response is run', () => {
  const ran = new Set([...Object.keys(generated), 'rsp-035'])
  for (const { id, raw_base64: raw } of cases) assert.ok(raw !== undefined || ran.has(id), id)
})

test('if a connection is reset during a body without a length, the connection is lost, and the body does not count as a page', async () => {
  await using server = await startRawServer(socket => {
    socket.write(`${head('connection: close')}half a page`, () =>
      setImmediate(() => socket.resetAndDestroy()),
    )
  })
  await using http = openFetchFor([server])
  await failing(get(http.fetch, server.url), 'connection.lost')
})

test('a chunked body whose last chunk is missing is truncated', async () => {
  await using server = await startRawServer(`${head('transfer-encoding: chunked')}5\r\nhello\r\n`)
  await using http = openFetchFor([server])
  await failing(get(http.fetch, server.url), 'body.truncated')
})

for (const [what, chunks] of Object.entries({
  'a size that is no number': '5\r\nhello\r\nZZ\r\n',
  'no line end behind it': '5\r\nhelloXX\r\n0\r\n\r\n',
  'a size beyond all numbers': 'FFFFFFFFFFFFFFFFFF\r\nabc',
}))
  test(`a chunk with ${what} is a broken transfer, and the request is retried`, async () => {
    await using server = await startRawServer(`${head('transfer-encoding: chunked')}${chunks}`)
    await using http = openFetchFor([server])
    const failure = await failing(get(http.fetch, server.url), 'body.truncated')
    assert.equal(failures[failure.code].retry, 'later')
  })

for (const more of ['', 'connection: upgrade\r\nupgrade: websocket\r\n'])
  test(`an unrequested 101 response is not HTTP, ${more ? 'with' : 'without'} an Upgrade header`, async () => {
    const answers = [`HTTP/1.1 101 Switching Protocols\r\n${more}\r\n`, `${head('content-length: 2')}hi`]
    await using server = await startRawServer(socket => void socket.end(answers.shift() ?? ''))
    await using http = openFetchFor([server])
    const failure = await failing(get(http.fetch, server.url), 'http.protocol')
    assert.match(failure.message, /101 Switching Protocols/)
    assert.equal((await get(http.fetch, server.url)).body.toString(), 'hi')
  })

test('if truncated bodies are allowed, a long body is truncated at the limit, even if it is compressed', async () => {
  const text = Buffer.from('Disallow: /x\n'.repeat(100_000))
  const more = { maxBytes: 1_000, isCutAtMax: true }
  for (const [encoding, encode] of Object.entries({
    identity: (body: Buffer) => body,
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  })) {
    // Random bytes follow the text, so that the encoded body is long too, and the client stops before it has received all of it.
    const body = encode(Buffer.concat([text, randomBytes(1_000_000)]))
    const first = Buffer.from(head(`content-encoding: ${encoding}\r\ncontent-length: ${body.length}`))
    await using server = await startRawServer(Buffer.concat([first, body]))
    await using http = openFetchFor([server])
    const page = await get(http.fetch, server.url, more)
    assert.equal(page.body.toString(), text.toString('utf8', 0, 1_000), encoding)
  }
})

test('a gzip body without its trailer is truncated, even if its length is right', async () => {
  const cut = gzipSync('a page').subarray(0, -4)
  const answer = Buffer.concat([
    Buffer.from(head(`content-encoding: gzip\r\ncontent-length: ${cut.length}`)),
    cut,
  ])
  await using server = await startRawServer(answer)
  await using http = openFetchFor([server])
  await failing(get(http.fetch, server.url), 'body.truncated')
})

test('headers over 64 KB are refused', async () => {
  await using server = await startRawServer(head(`x: ${'a'.repeat(70_000)}`))
  await using http = openFetchFor([server])
  await failing(get(http.fetch, server.url), 'http.protocol')
})

test('a server that closes without a response is a lost connection', async () => {
  await using server = await startRawServer('')
  await using http = openFetchFor([server])
  await failing(get(http.fetch, server.url), 'connection.lost')
})

test('early hints before the response are ignored', async () => {
  await using server = await startRawServer(
    `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head('content-length: 2')}hi`,
  )
  await using http = openFetchFor([server])
  assert.equal((await get(http.fetch, server.url)).body.toString(), 'hi')
})
