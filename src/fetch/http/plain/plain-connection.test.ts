// Tests connections for plain HTTP: when they are reused, and when undici takes over. test/properties/plain-responses.test.ts
// compares our responses with those of undici.
import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { failing, get, openFetchFor } from '../../../../test/fetching.ts'

/** Answers each request with the next of these texts, whatever connection it uses. After the last text, the first one follows. */
async function serve(...answers: string[]) {
  const sockets: Socket[] = []
  const requests: Array<{ connection: number; text: string }> = []
  const server = createServer(socket => {
    const connection = sockets.push(socket.on('error', () => {})) - 1
    socket.on('data', chunk => {
      requests.push({ connection, text: chunk.toString('latin1') })
      socket.write(answers[(requests.length - 1) % answers.length]!, 'latin1')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { url, sockets, requests, [Symbol.asyncDispose]: close }
}

const plain = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', `content-length: ${body.length}`, ...headers, '', body].join('\r\n')
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'

/** Fetches a page three times. Returns the bodies, and for each request the number of its connection. */
async function fetchThrice(...answers: string[]) {
  await using site = await serve(...answers)
  await using http = openFetchFor([site], { connectionsPerOrigin: 1 })
  const bodies: string[] = []
  for (let time = 0; time < 3; time++) bodies.push((await get(http.fetch, site.url)).body.toString('latin1'))
  return { bodies, connections: site.requests.map(({ connection }) => connection) }
}

test('a connection is reused after ordinary responses', async () => {
  const { bodies, connections } = await fetchThrice(
    plain('one'),
    plain(''),
    plain('two', 'connection: Keep-Alive'),
  )
  assert.deepEqual(bodies, ['one', '', 'two'])
  assert.deepEqual(connections, [0, 0, 0])
})

test('after "connection: close", the next request opens a connection', async () => {
  const { bodies, connections } = await fetchThrice(plain('ok', 'connection: close'))
  assert.deepEqual(bodies, ['ok', 'ok', 'ok'])
  assert.deepEqual(connections, [0, 1, 2])
})

test('a connection that the server announced to close is not reused', async () => {
  const { connections } = await fetchThrice(plain('ok', 'keep-alive: timeout=2'))
  assert.deepEqual(connections, [0, 1, 2])
})

test('bytes that follow a response are not taken as the response to the next request', async () => {
  const { bodies, connections } = await fetchThrice(plain('ok') + plain('smuggled'))
  assert.deepEqual(bodies, ['ok', 'ok', 'ok'])
  assert.deepEqual(connections, [0, 1, 2])
})

test('bytes that arrive on an idle connection are not taken as the response to the next request', async () => {
  await using site = await serve(plain('ok'))
  await using http = openFetchFor([site], { connectionsPerOrigin: 1 })
  await get(http.fetch, site.url)
  await new Promise<void>(resolve => site.sockets[0]!.write(plain('smuggled'), () => resolve()))
  assert.equal((await get(http.fetch, site.url)).body.toString(), 'ok')
  assert.deepEqual(
    site.requests.map(({ connection }) => connection),
    [0, 1],
  )
})

test('undici takes over in the middle of a chunked response, and keeps the connection', async () => {
  const { bodies, connections } = await fetchThrice(plain('ok'), chunked, chunked)
  assert.deepEqual(bodies, ['ok', 'hello', 'hello'])
  assert.deepEqual(connections, [0, 0, 0])
})

test('undici takes over an idle connection for a POST', async () => {
  await using site = await serve(plain('ok'))
  await using http = openFetchFor([site], { connectionsPerOrigin: 1 })
  await get(http.fetch, site.url)
  await get(http.fetch, site.url, { method: 'POST', body: 'a=1' })
  await get(http.fetch, site.url)
  assert.deepEqual(
    site.requests.map(({ connection, text }) => [connection, text.slice(0, 4)]),
    [
      [0, 'GET '],
      [0, 'POST'],
      [0, 'GET '],
    ],
  )
})

test('our requests have the same bytes as requests of undici', async () => {
  await using site = await serve(plain('ok'), chunked, plain('ok'))
  await using http = openFetchFor([site], { connectionsPerOrigin: 1, defaultHeaders: { 'x-own': 'a b' } })
  for (let time = 0; time < 3; time++) await get(http.fetch, `${site.url}/path?q=%20`)
  const [first, second, byUndici] = site.requests.map(({ text }) => text)
  assert.equal(first, second)
  assert.equal(first, byUndici)
})

test('a body that arrives in many pieces is complete', async () => {
  const body = Array.from({ length: 90_000 }, (_, at) => `${at},`).join('')
  const { bodies, connections } = await fetchThrice(plain(body))
  assert.ok(bodies.every(each => each === body))
  assert.deepEqual(connections, [0, 0, 0])
})

test('a body that ends too early is a truncated body', async () => {
  await using site = await serve('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')
  await using http = openFetchFor([site])
  const fetched = failing(get(http.fetch, site.url), 'body.truncated')
  while (site.requests.length === 0) await new Promise(resolve => setImmediate(resolve))
  site.sockets[0]!.end()
  await fetched
})

test('a body whose announced length is above the limit is refused before it arrives', async () => {
  await using site = await serve('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n')
  await using http = openFetchFor([site])
  await failing(get(http.fetch, site.url), 'body.too-large')
})
