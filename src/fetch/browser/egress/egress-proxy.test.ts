// Tests the egress proxy alone: what it lets through, what it refuses and how, and its limits per task.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { freePort } from '../../../../test/support/free-port.ts'
import {
  ask,
  openFor,
  openTalker,
  openWebsite,
  sendRaw,
  tunnelTo,
} from '../../../../test/support/proxy-client.ts'
import { Failure } from '../../../model/failures.ts'
import { EgressGate } from '../../http/gate.ts'
import { failureHeader, openEgressProxy } from './egress-proxy.ts'

test('a plain HTTP request reaches the site with the path, header order and letter case of the browser; of the hop-by-hop headers only Connection: keep-alive remains', async () => {
  await using website = await openWebsite()
  await using proxy = await openFor(website)
  const head = [
    `GET http://${website.host}/a%2fb|c?d='e HTTP/1.1`,
    'Host: elsewhere.example',
    'Proxy-Connection: keep-alive',
    'X-Later: 1',
    'User-AGENT: browser',
    'Proxy-Authorization: Basic c2VjcmV0',
    'Connection: x-hop, close',
    'X-Hop: mine',
    'TE: trailers',
  ]
  const answer = await sendRaw(proxy, `${head.join('\r\n')}\r\n\r\n`, 'a page')
  assert.match(answer, /^HTTP\/1\.1 200 OK/)
  const [seen] = website.requests
  assert.equal(seen!.url, "/a%2fb|c?d='e")
  assert.deepEqual(seen!.rawHeaders, [
    ...['Host', website.host, 'Connection', 'keep-alive'],
    ...['X-Later', '1', 'User-AGENT', 'browser'],
  ])
})

test('the browser gets a response unchanged, and no response can pretend to come from the proxy', async () => {
  await using website = await openWebsite((_, response) =>
    response
      .writeHead(418, 'Short', [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        [failureHeader, 'address.refused'],
      ] as never)
      .end('x'.repeat(100_000)),
  )
  await using proxy = await openFor(website)
  const answer = await ask(proxy, `http://${website.host}/`)
  assert.equal(answer.status, 418)
  assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
  assert.equal(answer.headers[failureHeader], undefined)
  assert.equal(answer.body.length, 100_000)
})

test('a form is posted once, over its own connection', async () => {
  await using website = await openWebsite(async (visit, response) => response.end(await text(visit)))
  await using proxy = await openFor(website)
  const body = 'q='.padEnd(200_000, 'x')
  const answer = await ask(proxy, `http://${website.host}/`, { method: 'POST', body })
  assert.equal(answer.body, body)
  assert.equal(website.requests.length, 1)
})

test('connections to a website are reused, and a dead connection is replaced without an error', async () => {
  let dies = false
  await using website = await openWebsite((visit, response) => {
    if (dies) visit.socket.destroy()
    else response.end('a page')
    dies = false
  })
  await using proxy = await openFor(website)
  for (const _ of [1, 2, 3]) await ask(proxy, `http://${website.host}/`)
  assert.equal(website.connections.size, 1)
  dies = true
  assert.equal((await ask(proxy, `http://${website.host}/`)).status, 200)
  assert.equal(website.requests.length, 5)
})

test('a private address is refused with a failure code and no internal details, and the refusal is reported', async () => {
  await using website = await openWebsite()
  const told: string[] = []
  await using proxy = await openFor(null, { onFailed: ({ failure }) => told.push(failure.code) })
  const answer = await ask(proxy, `http://${website.host}/secret`)
  assert.equal(answer.status, 403)
  assert.equal(answer.headers[failureHeader], 'address.refused')
  assert.doesNotMatch(JSON.stringify(answer), /127\.0/)
  assert.equal(proxy.failureOf(`http://${website.host}/other`)?.code, 'address.refused')
  assert.match(await sendRaw(proxy, tunnelTo('10.0.0.1:443')), /^HTTP\/1\.1 403 .*address\.refused/s)
  assert.equal(proxy.failureOf('https://10.0.0.1/')?.code, 'address.refused')
  assert.equal(proxy.failureOf('https://10.0.0.2/'), null)
  assert.deepEqual(told, ['address.refused', 'address.refused'])
  assert.equal(website.connections.size, 0)
})

test('requests and tunnels reach an allowed host:port, but no other port of the host', async () => {
  await using website = await openWebsite()
  await using other = await openWebsite()
  await using proxy = await openFor(website)
  assert.equal((await ask(proxy, `http://${website.host}/`)).status, 200)
  const inside = `GET / HTTP/1.1\r\nHost: ${website.host}\r\n\r\n`
  assert.match(await sendRaw(proxy, tunnelTo(website.host) + inside, 'a page'), /established.*200 OK/s)
  assert.equal((await ask(proxy, `http://${other.host}/`)).status, 403)
  assert.equal((await ask(proxy, `http://localhost:${website.port}/`)).status, 403)
})

test('a name is resolved once, all its addresses are checked, and one of them is used', async () => {
  await using website = await openWebsite()
  const answers = [['93.184.216.34'], ['93.184.216.34', '10.0.0.1'], ['127.0.0.1']]
  const resolve = async () => (answers.shift() ?? []).map(address => ({ address, family: 4 }))
  class LabGate extends EgressGate {
    override async resolve(host: string, port: number) {
      const judged = await super.resolve(host, port)
      return judged.map(() => ({ address: '127.0.0.1', family: 4 }))
    }
  }
  const gate = new LabGate({ allowPrivate: [], resolve, dnsCacheMs: 0 })
  await using proxy = await openEgressProxy({ gate })
  const url = `http://site.example:${website.port}/`
  assert.equal((await ask(proxy, url)).status, 200)
  assert.equal(website.requests[0]!.headers.host, `site.example:${website.port}`)
  assert.match(await sendRaw(proxy, tunnelTo(`site.example:${website.port}`)), /address\.refused/)
  assert.match(await sendRaw(proxy, tunnelTo(`site.example:${website.port}`)), /address\.refused/)
  assert.equal(website.requests.length, 1)
})

test('each reason why a host is unreachable has its own failure code', async () => {
  const notFound = Object.assign(new Error('nx'), { code: 'ENOTFOUND' })
  const resolve = (host: string) =>
    host === 'nx.example.com' ? Promise.reject(notFound) : new Promise<never>(() => {})
  const closed = { host: `127.0.0.1:${await freePort()}` }
  await using proxy = await openFor(closed, {}, { resolve })
  await using hasty = await openFor(closed, { connectMs: 50 }, { resolve })
  assert.equal((await ask(proxy, 'http://nx.example.com/')).headers[failureHeader], 'dns.not-found')
  assert.equal((await ask(hasty, 'http://slow.example.com/')).headers[failureHeader], 'connect.timeout')
  const refused = await ask(proxy, `http://${closed.host}/`)
  assert.equal(refused.status, 502)
  assert.equal(refused.headers[failureHeader], 'connect.refused')
  assert.equal(proxy.failureOf('http://nx.example.com/')?.code, 'dns.not-found')
})

test('a check before a request can refuse it, and is aborted when the browser disconnects', async () => {
  await using website = await openWebsite()
  const seen: string[] = []
  const begun = Promise.withResolvers<void>()
  const gaveUp = Promise.withResolvers<void>()
  await using proxy = await openFor(website, {
    before: async ({ kind, url, isNavigation }, signal) => {
      seen.push(`${kind} ${new URL(url).pathname} ${isNavigation}`)
      if (url.endsWith('/denied')) throw new Failure('host.denied', 'on the list')
      if (!url.endsWith('/wait')) return
      begun.resolve()
      await once(signal, 'abort')
      gaveUp.resolve()
    },
  })
  const navigation = { headers: { 'upgrade-insecure-requests': '1' } }
  assert.equal((await ask(proxy, `http://${website.host}/page`, navigation)).status, 200)
  assert.equal((await ask(proxy, `http://${website.host}/denied`)).headers[failureHeader], 'host.denied')
  await sendRaw(proxy, tunnelTo(website.host), 'established')
  assert.deepEqual(seen, ['request /page true', 'request /denied false', 'tunnel / null'])

  const waiting = connect(proxy.port, '127.0.0.1')
  waiting.write(`GET http://${website.host}/wait HTTP/1.1\r\nHost: x\r\n\r\n`)
  await begun.promise
  waiting.destroy()
  await gaveUp.promise
  assert.equal(website.requests.length, 1)
})

test('a task that received too many bytes is cut off, and the count of the next task starts at zero', async () => {
  await using website = await openWebsite((visit, response) => {
    if (visit.url !== '/endless') return response.end('a page')
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
    return response
  })
  await using proxy = await openFor(website, { maxTaskBytes: 500_000 })
  await assert.rejects(ask(proxy, `http://${website.host}/endless`))
  assert.equal(proxy.failureOf(`http://${website.host}/endless`)?.code, 'body.too-large')
  assert.equal((await ask(proxy, `http://${website.host}/`)).headers[failureHeader], 'body.too-large')
  proxy.beginTask(null)
  assert.deepEqual(proxy.failures, [])
  assert.equal((await ask(proxy, `http://${website.host}/`)).status, 200)
  assert.ok(proxy.bytes.received > 500_000)
})

test('a new task keeps the open tunnel to its own host, and tunnels to other hosts are closed', async () => {
  await using own = await openWebsite()
  await using echo = await openTalker(socket => socket.pipe(socket))
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const allowPrivate = [`own.example:${own.port}`, `other.example:${echo.port}`]
  await using proxy = await openFor(null, {}, { allowPrivate, resolve })
  const tunnels = [`own.example:${own.port}`, `other.example:${echo.port}`].map(authority => {
    const socket = connect(proxy.port, '127.0.0.1').setEncoding('utf8')
    socket.write(tunnelTo(authority))
    return socket
  })
  for (const socket of tunnels) await once(socket, 'data')
  proxy.beginTask('own.example')
  await once(tunnels[1]!, 'close')
  tunnels[0]!.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.match(String(await once(tunnels[0]!, 'data')), /200 OK/)
})

test('closing the egress proxy ends active and idle connections to browsers and to sites', async () => {
  await using website = await openWebsite(() => {})
  const proxy = await openFor(website)
  const client = connect(proxy.port, '127.0.0.1').on('error', () => {})
  client.write(`GET http://${website.host}/never HTTP/1.1\r\nHost: x\r\n\r\n`)
  const tunnel = connect(proxy.port, '127.0.0.1').on('error', () => {})
  tunnel.write(tunnelTo(website.host))
  await once(tunnel, 'data')
  while (website.requests.length === 0 || website.connections.size < 2) await new Promise(setImmediate)
  const [ended] = [Promise.all([client, tunnel].map(socket => once(socket, 'close')))]
  await proxy[Symbol.asyncDispose]()
  await ended
  while (website.connections.size > 0) await new Promise(setImmediate)
})
