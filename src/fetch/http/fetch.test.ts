// Tests the result of a fetch, its limits, and when a request is repeated.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { failing, get, never, openFetchFor, testTimeouts } from '../../../test/fetching.ts'
import { startRawServer } from '../../../test/site/raw-server.ts'
import { startTlsServer } from '../../../test/site/tls-server.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { Failure } from '../../model/failures.ts'
import { headerOf } from '../../model/page/page.ts'
import { CookieJar, EgressGate, openHttpFetch } from './index.ts'

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>(resolve => server.close(() => resolve()))
  }
  return { url, server, [Symbol.asyncDispose]: close }
}

const plain = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`

test('a page is returned complete and decoded, with its compressed size', async () => {
  const body = 'hello '.repeat(50)
  await using site = await serve((_request, response) => {
    response.setHeader('Content-Encoding', 'zstd')
    response.setHeader('Set-Cookie', ['a=1', 'b=2'])
    response.end(zstdCompressSync(body))
  })
  await using http = openFetchFor([site])
  const page = await get(http.fetch, `${site.url}/x?y=1#z`)
  assert.equal(page.body.toString(), body)
  assert.equal(page.status, 200)
  assert.equal(page.url, `${site.url}/x?y=1#z`)
  assert.equal(page.remoteAddress, '127.0.0.1')
  assert.equal(page.httpVersion, '1.1')
  assert.equal(page.wireBytes, zstdCompressSync(body).length)
  assert.deepEqual(
    page.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value),
    ['a=1', 'b=2'],
  )
  assert.ok(page.endedAt >= page.startedAt)
})

test('a response with any status is a page', async () => {
  await using site = await serve(
    (request, response) => void response.writeHead(Number(request.url!.slice(1))).end('x'),
  )
  await using http = openFetchFor([site])
  for (const status of [200, 304, 404, 429, 500, 503]) {
    assert.equal((await get(http.fetch, `${site.url}/${status}`)).status, status)
  }
})

test('a page lists the extra headers of its request, with placeholders for secrets', async () => {
  await using site = await serve((_request, response) => {
    response.setHeader('Set-Cookie', 'session=hush')
    response.end('hello')
  })
  const headers = { Authorization: 'Bearer hush', 'If-None-Match': '"7"', 'Accept-Language': 'de' }
  await using http = openFetchFor([site], { cookies: new CookieJar() })

  assert.equal((await get(http.fetch, site.url)).requestHeaders, undefined)
  const { requestHeaders } = await get(http.fetch, site.url, { headers })
  assert.deepEqual(requestHeaders?.slice(0, 1), [['user-agent', 'kscrape-test']])
  assert.deepEqual(requestHeaders?.slice(3), [
    ['authorization', 'REDACTED'],
    ['if-none-match', '"7"'],
    ['accept-language', 'de'],
    ['cookie', 'REDACTED'],
  ])
})

test('a request sends our user agent and the accepted encodings; the job can add headers', async () => {
  await using site = await serve((request, response) => void response.end(JSON.stringify(request.headers)))
  await using http = openFetchFor([site], {
    userAgent: 'shop-bot (+mail@example.com)',
    defaultHeaders: { 'Accept-Language': 'de', 'X-Team': 'a' },
  })
  const said = JSON.parse(
    (await get(http.fetch, site.url, { headers: { Accept: 'text/plain' } })).body.toString(),
  )
  assert.equal(said['user-agent'], 'shop-bot (+mail@example.com)')
  assert.equal(said['accept-encoding'], 'gzip, deflate, br, zstd')
  assert.equal(said['accept-language'], 'de')
  // Default headers go to every site. This one could be a secret, so it is not sent.
  assert.equal(said['x-team'], undefined)
  assert.equal(said.accept, 'text/plain')
})

test('headers that would change the connection or inject a new line are refused', async () => {
  await using site = await serve((_request, response) => void response.end())
  await using http = openFetchFor([site])
  const bad = [
    { Host: 'x' },
    { 'Proxy-Authorization': 'x' },
    { 'X-A': 'a\r\nHost: 127.0.0.1' },
    { 'a b': 'c' },
  ]
  for (const headers of [...bad, { 'Content-Length': '3' }, { 'Transfer-Encoding': 'chunked' }]) {
    await failing(get(http.fetch, site.url, { headers: headers as Record<string, string> }), 'input.invalid')
  }
})

test('the body of a request is sent', async () => {
  await using site = await serve(async (request, response) => {
    response.end(`${request.method} ${Buffer.concat(await request.toArray())}`)
  })
  await using http = openFetchFor([site])
  for (const body of ['naïve', Buffer.from('naïve')]) {
    assert.equal((await get(http.fetch, site.url, { method: 'POST', body })).body.toString(), 'POST naïve')
  }
})

test('HEAD returns headers and no body, whatever length the server announces', async () => {
  await using site = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 99_999_999, 'content-encoding': 'gzip' }).end()
  })
  await using http = openFetchFor([site])
  const page = await get(http.fetch, site.url, { method: 'HEAD' })
  assert.equal(headerOf(page.headers, 'content-length'), '99999999')
  assert.equal(page.body.length, 0)
})

test('reading stops when a body exceeds maxBytes', async () => {
  await using announced = await startRawServer('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n')
  await using counted = await startRawServer(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(5_000)}`)
  await using http = openFetchFor([announced, counted])
  for (const { url } of [announced, counted]) {
    await failing(get(http.fetch, url, { maxBytes: 4_999 }), 'body.too-large')
  }
  assert.equal((await get(http.fetch, counted.url, { maxBytes: 5_000 })).body.length, 5_000)
})

test('the error of a timeout names the phase that took too long', async () => {
  await using silent = await startRawServer(() => {})
  await using stalling = await startRawServer(
    socket => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
  )
  await using http = openFetchFor([silent, stalling])
  const phaseOf = async (url: string, limit: object) =>
    (await failing(get(http.fetch, url, { timeouts: { ...testTimeouts, ...limit } }), 'fetch.timeout'))
      .details.phase
  assert.equal(await phaseOf(silent.url, { headersMs: 40 }), 'headers')
  assert.equal(await phaseOf(stalling.url, { idleMs: 40 }), 'idle')
  assert.equal(await phaseOf(silent.url, { totalMs: 40 }), 'total')
  assert.equal(await phaseOf(stalling.url, { totalMs: 40 }), 'total')
})

test('a DNS lookup without an answer hits the connect timeout', async () => {
  const gate = new EgressGate({ allowPrivate: [], resolve: () => new Promise(() => {}) })
  await using http = openHttpFetch({ gate, userAgent: 'test' })
  const timeouts = { ...testTimeouts, connectMs: 40 }
  const failure = await failing(get(http.fetch, 'http://slow.example.com/', { timeouts }), 'connect.timeout')
  assert.equal(failure.details.phase, 'connect')
})

test('DNS errors have their own failure codes', async () => {
  const meanings = { ENOTFOUND: 'dns.not-found', EAI_AGAIN: 'dns.failed', ESERVFAIL: 'dns.failed' } as const
  for (const [systemCode, code] of Object.entries(meanings)) {
    const resolve = () => Promise.reject(Object.assign(new Error('lookup 10.1.1.1'), { code: systemCode }))
    await using http = openHttpFetch({
      gate: new EgressGate({ allowPrivate: [], resolve }),
      userAgent: 'test',
    })
    const failure = await failing(get(http.fetch, 'https://www.example.com/'), code)
    assert.doesNotMatch(failure.message, /10\.1\.1\.1/)
  }
})

test('a closed port gives a refused connection, and the error message does not show the IP address', async () => {
  const port = await freePort()
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const gate = new EgressGate({ allowPrivate: [`shop.example.com:${port}`], resolve })
  await using http = openHttpFetch({ gate, userAgent: 'test' })
  const failure = await failing(get(http.fetch, `http://shop.example.com:${port}/`), 'connect.refused')
  assert.match(failure.message, /shop\.example\.com/)
  assert.doesNotMatch(JSON.stringify(failure), /127\.0\.0\.1/)
})

test('an abort frees the socket and rejects with its reason', async () => {
  const hungUp = Promise.withResolvers<void>()
  await using server = await startRawServer(socket => {
    socket.on('close', () => hungUp.resolve())
    arrived.resolve()
  })
  const arrived = Promise.withResolvers<void>()
  await using http = openFetchFor([server])
  const controller = new AbortController()
  const work = failing(get(http.fetch, server.url, {}, controller.signal), 'job.cancelled')
  await arrived.promise
  controller.abort(new Failure('job.cancelled', 'The job was cancelled'))
  await work
  await hungUp.promise
  await failing(get(http.fetch, server.url, {}, AbortSignal.abort()), 'worker.stopping')
})

test('aborting a request that waits for a connection does not close the connection in use', async () => {
  const first = Promise.withResolvers<ServerResponse>()
  let connections = 0
  await using site = await serve((request, response) => {
    if (request.url === '/first') first.resolve(response)
    else response.end('later')
  })
  site.server.on('connection', () => connections++)
  await using http = openFetchFor([site], { connectionsPerOrigin: 1 })
  const slow = get(http.fetch, `${site.url}/first`)
  const held = await first.promise
  const controller = new AbortController()
  const waiting = failing(get(http.fetch, `${site.url}/waiting`, {}, controller.signal), 'worker.stopping')
  const after = get(http.fetch, `${site.url}/after`)
  controller.abort()
  await waiting
  held.end('first')
  assert.equal((await slow).body.toString(), 'first')
  assert.equal((await after).body.toString(), 'later')
  assert.equal(connections, 1)
})

test('a request that is cancelled before it is sent sends nothing, and the next request can use its connection', async () => {
  let connections = 0
  const asked: string[] = []
  await using site = await serve((request, response) => {
    asked.push(request.url!)
    response.end('x')
  })
  site.server.on('connection', () => connections++)
  await using http = openFetchFor([site], { connectionsPerOrigin: 1 })
  const beforeFirst = async (lapsed: number) => {
    if (lapsed > 0) throw new Failure('host.not-now', 'not today')
    return () => false
  }
  for (const path of ['/cold', '/warm'])
    await failing(get(http.fetch, site.url + path, { beforeFirst }), 'host.not-now')
  await get(http.fetch, `${site.url}/in-its-turn`)
  assert.deepEqual([asked, connections], [['/in-its-turn'], 1])
})

test('a request that misses its slot requests another one, and is sent once', async () => {
  const asked: string[] = []
  await using site = await serve(async (request, response) => {
    asked.push(Buffer.concat(await request.toArray()).toString())
    response.end('x')
  })
  await using http = openFetchFor([site])
  const turns: number[] = []
  const beforeFirst = async (lapsed: number) => {
    turns.push(lapsed)
    return () => lapsed === 2
  }
  await get(http.fetch, site.url, { beforeFirst, method: 'POST', body: 'once' })
  assert.deepEqual([turns, asked], [[0, 1, 2], ['once']])
})

test('the wait for a slot does not count as slowness of the host', async context => {
  await using site = await serve((_request, response) => void response.end('x'))
  await using http = openFetchFor([site])
  context.mock.timers.enable({ apis: ['Date'] })
  const began = Date.now()
  const waitedMs = 10 * testTimeouts.totalMs
  const beforeFirst = async () => void context.mock.timers.tick(waitedMs)
  assert.equal((await get(http.fetch, site.url, { beforeFirst })).startedAt, began + waitedMs)
})

test('connections are kept alive and reused', async () => {
  let connections = 0
  await using site = await serve((_request, response) => void response.end('ok'))
  site.server.on('connection', () => connections++)
  await using http = openFetchFor([site], { connectionsPerOrigin: 1 })
  for (let i = 0; i < 5; i++) await get(http.fetch, site.url)
  assert.equal(connections, 1)
})

async function serveBytes(onConnection: (socket: Socket) => void) {
  const server = createTcpServer(socket => onConnection(socket.on('error', () => {})))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, [Symbol.asyncDispose]: async () => void server.close() }
}

test('a GET on a kept-alive connection that has died is sent again once, a POST is not', async () => {
  let requests = 0
  await using site = await serveBytes(socket => {
    socket.once('data', () => socket.write(plain('ok'), () => socket.once('data', () => socket.destroy())))
    socket.on('data', () => requests++)
  })
  await using http = openFetchFor([site], { connectionsPerOrigin: 1 })
  await get(http.fetch, site.url)
  assert.equal((await get(http.fetch, site.url)).body.toString(), 'ok')
  assert.equal(requests, 3)
  await failing(get(http.fetch, site.url, { method: 'POST' }), 'connection.lost')
  assert.equal(requests, 4)
})

test('a request whose new connection dies is not sent again', async () => {
  await using server = await startRawServer(socket => void socket.destroy())
  await using http = openFetchFor([server])
  await failing(get(http.fetch, server.url), 'connection.lost')
  assert.equal(server.heads.length, 1)
})

test('HTTPS needs a trusted certificate; SCRAPER_CA_FILE adds one', async () => {
  await using server = await startTlsServer({ kind: 'good-with-own-ca' })
  await using stranger = openFetchFor([server])
  await failing(get(stranger.fetch, server.url), 'tls.failed')
  await using http = openFetchFor([server], { caFile: server.caFile })
  assert.match((await get(http.fetch, server.url)).body.toString(), /Secure/)
})

test('HTTP/2 is used if the server offers it, over one connection', async () => {
  await using server = await startTlsServer({ kind: 'good-with-own-ca' })
  await using http = openFetchFor([server], { caFile: server.caFile })
  const pages = await Promise.all(Array.from({ length: 5 }, (_, i) => get(http.fetch, `${server.url}/${i}`)))
  for (const page of pages) {
    assert.equal(page.httpVersion, '2')
    assert.ok(page.headers.every(([name]) => !name.startsWith(':')))
  }
})

test('over HTTP/2, a request that misses its slot is not sent', async () => {
  const asked: string[] = []
  await using server = await startTlsServer({
    kind: 'good-with-own-ca',
    answer: (request, response) => {
      asked.push(request.url)
      response.end('x')
    },
  })
  await using http = openFetchFor([server], { caFile: server.caFile })
  const beforeFirst = async (lapsed: number) => {
    if (lapsed > 0) throw new Failure('host.not-now', 'not today')
    return () => false
  }
  for (const path of ['/cold', '/warm'])
    await failing(get(http.fetch, server.url + path, { beforeFirst }), 'host.not-now')
  await get(http.fetch, `${server.url}/in-its-turn`)
  assert.deepEqual(asked, ['/in-its-turn'])
})

test('an HTTP/2 stream that is reset midway is an error', async () => {
  await using server = await startTlsServer({
    kind: 'good-with-own-ca',
    answer: (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write('half')
      setImmediate(() => response.stream.close(2))
    },
  })
  await using http = openFetchFor([server], { caFile: server.caFile })
  const failure = await get(http.fetch, server.url).catch(error => error)
  assert.ok(['body.truncated', 'connection.lost'].includes(failure.code), failure)
})

test('a server without TLS fails with a TLS error', async () => {
  await using site = await serveBytes(socket => socket.once('data', () => socket.end(plain('hi'))))
  await using http = openFetchFor([site])
  await failing(get(http.fetch, site.url.replace('http:', 'https:')), 'tls.failed')
})

test('a CA file that is missing or empty is refused at start', () => {
  const gate = new EgressGate({ allowPrivate: [] })
  for (const caFile of ['/does/not/exist.pem', import.meta.filename]) {
    assert.throws(() => openHttpFetch({ gate, userAgent: 'test', caFile }), /SCRAPER_CA_FILE/)
  }
})

test('proxy variables of the environment are ignored', async () => {
  await using site = await serve((_request, response) => void response.end('direct'))
  const before = { ...process.env }
  Object.assign(process.env, {
    http_proxy: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NODE_USE_ENV_PROXY: '1',
  })
  try {
    await using http = openFetchFor([site])
    assert.equal((await get(http.fetch, site.url)).body.toString(), 'direct')
  } finally {
    process.env = before
  }
})

test('closing the fetcher aborts requests in flight', async () => {
  const arrived = Promise.withResolvers<void>()
  await using server = await startRawServer(() => arrived.resolve())
  const http = openFetchFor([server])
  const work = failing(
    http.fetch({ url: server.url, timeouts: testTimeouts, maxBytes: 1_024 }, never),
    'worker.stopping',
  )
  await arrived.promise
  await http[Symbol.asyncDispose]()
  await work
  await failing(get(http.fetch, server.url), 'worker.stopping')
})
