// Tests the pool for plain HTTP: one request per connection at a time, a limit of connections, and no lost requests.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { Client, type Dispatcher } from 'undici'
import { PlainPool } from './plain-pool.ts'

/** Responses that wait until the test ends them. */
const open: ServerResponse[] = []
let sockets = 0
const server = createServer((_request, response) => void open.push(response)).on(
  'connection',
  () => sockets++,
)
let origin = ''
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

/** Resolves with the status, or with the name of the error. */
function asked(pool: PlainPool, path: string): Promise<number | string> {
  const { promise, resolve } = Promise.withResolvers<number | string>()
  let status = 0
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => {},
    onResponseStart: (_controller, code) => {
      status = code
    },
    onResponseData: () => {},
    onResponseEnd: () => resolve(status),
    onResponseError: (_controller, error) => resolve(error.name),
  }
  pool.dispatch({ path, method: 'GET' }, handler)
  return promise
}

async function received(count: number): Promise<void> {
  while (open.length < count) await once(server, 'request')
}

test('if all connections are in use, the next request waits for one, in order', async () => {
  const pool = new PlainPool(() => new Client(origin), 2)
  const answers = Promise.all(['/1', '/2', '/3', '/4', '/5'].map(path => asked(pool, path)))
  for (let done = 0; done < 5; done++) {
    await received(1)
    assert.ok(open.length <= 2)
    open.shift()!.end('ok')
  }
  assert.deepEqual(await answers, [200, 200, 200, 200, 200])
  assert.equal(sockets, 2)
  assert.equal(await Promise.race([asked(pool, '/again'), received(1).then(() => 'kept')]), 'kept')
  open.shift()!.end('ok')
  assert.equal(sockets, 2, 'a connection that is free is used again')
  await pool.close()
})

test('waiting requests are rejected when the pool closes', async () => {
  const pool = new PlainPool(() => new Client(origin), 1)
  const answers = Promise.all([asked(pool, '/1'), asked(pool, '/2'), asked(pool, '/3')])
  await received(1)
  await pool.destroy()
  assert.deepEqual(await answers, ['ClientDestroyedError', 'ClientDestroyedError', 'ClientDestroyedError'])
  open.length = 0
})

test('a host that refused a connection is tried again with the next request', async () => {
  const pool = new PlainPool(() => new Client('http://127.0.0.1:9'), 1)
  assert.match(String(await asked(pool, '/1')), /Error/)
  assert.match(String(await asked(pool, '/2')), /Error/)
  await pool.close()
})
