// Tests that our reader of plain HTTP responses gives the same result as undici for every response, however its bytes arrive.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { buildConnector, Client } from 'undici'
import { failureOf } from '../../src/fetch/http/classify.ts'
import { PlainConnection, receiving } from '../../src/fetch/http/plain/plain-connection.ts'
import { PlainPool } from '../../src/fetch/http/plain/plain-pool.ts'
import { firstBy } from '../../src/fetch/http/pools.ts'

/** The parts of the response that the server sends next. */
let parts: Buffer[] = []
let heads: string[] = []
const server = createServer(socket => {
  socket.setNoDelay(true).on('error', () => {})
  socket.on('data', chunk => {
    heads.push(chunk.toString('latin1'))
    void answer(socket, parts)
  })
})
let origin = ''
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => server.close())

async function answer(socket: Socket, sent: Buffer[]): Promise<void> {
  for (const part of sent) {
    socket.write(part)
    await new Promise(resolve => setImmediate(resolve))
  }
  socket.end()
}

const options = { maxHeaderSize: 65_536, keepAliveTimeout: 20_000 }
const undicis = () => new PlainPool(() => new Client(origin, options), 1)

function ours(): PlainPool {
  const connect = buildConnector({ timeout: 5_000 })
  const url = new URL(origin)
  return new PlainPool(
    () =>
      new PlainConnection({
        url,
        connect: buildConnector({ timeout: 5_000, ...receiving() }),
        openClient: first =>
          new Client(origin, { ...options, connect: first ? firstBy(first, connect) : connect }),
        keepAliveMs: options.keepAliveTimeout,
        isUnusual: false,
      }),
    1,
  )
}

interface Outcome {
  status: number | null
  headers: string[][]
  body: string | null
  failure: string | null
  requests: string[]
}

/** Requests the page over the pool. */
async function outcomeOver(pool: PlainPool): Promise<Outcome> {
  heads = []
  const outcome: Outcome = { status: null, headers: [], body: null, failure: null, requests: heads }
  const chunks: Buffer[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const headers = ['user-agent', 'test', 'accept', '*/*']
  pool.dispatch(
    { path: '/page?q=1', method: 'GET', headers, headersTimeout: 5_000, bodyTimeout: 5_000 },
    {
      onRequestStart() {},
      onPlainHead(_controller, status, list) {
        Object.assign(outcome, { status, headers: list.map(header => [...header]) })
      },
      onResponseStart(_controller, status, raw) {
        if (status < 200) return
        const list = Object.entries(raw).flatMap(([name, value]) =>
          [value].flat().map(each => [name, String(each)]),
        )
        Object.assign(outcome, { status, headers: list })
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd() {
        outcome.body = Buffer.concat(chunks).toString('latin1')
        resolve()
      },
      onResponseError(_controller, error) {
        const progress = { target: 'x', gotHeaders: outcome.status !== null, timeouts: timeouts }
        outcome.failure = failureOf(error, progress).code
        resolve()
      },
    },
  )
  await promise
  await pool.destroy()
  return outcome
}

const timeouts = { connectMs: 5_000, headersMs: 5_000, idleMs: 5_000 }

const statusLine = fc.constantFrom(
  ...['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found', 'HTTP/1.1 204 No Content'],
  ...['HTTP/1.1 304 Not Modified', 'HTTP/1.0 200 OK', 'HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 200 \xe9'],
  ...['HTTP/1.1 100 Continue', 'HTTP/1.1 20 OK', 'ICY 200 OK', 'HTTP/1.1  200 OK', 'HTTP/1.1 301 Moved'],
)
const header = fc.constantFrom(
  ...[
    'content-length: 5',
    'Content-Length: 5',
    'content-length: 0',
    'content-length: 7',
    'content-length: +5',
  ],
  ...['content-length: 5, 5', 'transfer-encoding: chunked', 'connection: close', 'Connection: Keep-Alive'],
  ...['connection: upgrade', 'upgrade: h2c', 'keep-alive: timeout=5', 'keep-alive: timeout=1', 'trailer: x'],
  ...['content-type: text/html', 'set-cookie: a=1', 'Set-Cookie: b=2; Path=/', 'x-empty:', 'x-tight:1'],
  ...[
    'x-spaces:   a b  ',
    'x-tab:\ta',
    'x-latin: caf\xe9',
    'x-control: a\x01b',
    'x bad: 1',
    '1: one',
    ': none',
  ],
  ...[
    ' folded',
    'x-nul: a\0b',
    '__proto__: 1',
    'constructor: 1',
    'x-bare: a\rb',
    'location: /\xff',
    'date: now',
  ],
)
const body = fc.constantFrom('', 'hello', 'hel', 'hello!!', '5\r\nhello\r\n0\r\n\r\n', '5\r\nhel', 'zz\r\n')
const response = fc
  .record({
    statusLine,
    headers: fc.array(header, { maxLength: 5 }),
    lineEnd: fc.constantFrom('\r\n', '\r\n', '\n'),
    body,
  })
  .map(({ statusLine: first, headers, lineEnd, body: rest }) =>
    Buffer.from([first, ...headers, '', rest].join(lineEnd), 'latin1'),
  )

function cut(bytes: Buffer, positions: number[]): Buffer[] {
  const cuts = [0, ...positions.map(at => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end))
}

test('our HTTP reader and undici return the same for a plain response', async () => {
  await fc.assert(
    fc.asyncProperty(response, fc.array(fc.nat(400), { maxLength: 3 }), async (bytes, positions) => {
      parts = cut(bytes, positions)
      const expected = await outcomeOver(undicis())
      assert.deepEqual(await outcomeOver(ours()), expected)
    }),
    { numRuns: 300 },
  )
})
