// Tests the egress proxy in front of an upstream proxy: which checks the egress proxy does itself, and what it passes on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTlsServer } from '../../../../test/site/tls-server.ts'
import { ForwardProxy } from '../../../../test/support/proxies/forward-proxy.ts'
import { SocksServer } from '../../../../test/support/proxies/socks-server.ts'
import { ask, openWebsite, sendRaw } from '../../../../test/support/proxy-client.ts'
import { EgressGate } from '../../http/gate.ts'
import { ProxyDialer } from '../../proxies/dial.ts'
import { addressFor, parseProxy } from '../../proxies/endpoint.ts'
import { type EgressProxy, failureHeader, openEgressProxy } from './egress-proxy.ts'

function openBefore(upstream: { url: string; place: string }, allowPrivate: string[]) {
  const gate = new EgressGate({ allowPrivate })
  const dialer = new ProxyDialer({ gate, ownPlaces: [upstream.place] })
  const proxy = addressFor(parseProxy(upstream.url, { isOperators: true }), 's1')
  return openEgressProxy({ gate, upstream: { dialer, proxy }, connectMs: 2_000 })
}

const connectBy = (egress: EgressProxy, authority: string) =>
  sendRaw(egress, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`, '\r\n\r\n')

test('plain requests and tunnels use the upstream proxy, and only this proxy gets its password', async () => {
  await using website = await openWebsite()
  await using secure = await startTlsServer({ kind: 'good-with-own-ca' })
  await using upstream = await ForwardProxy.start({ credentials: 'ann:s3cret' })
  await using egress = await openBefore(upstream, [website.host, `localhost:${secure.port}`])
  const answer = await ask(egress, `http://${website.host}/a%2fb?c=1`)
  assert.match(answer.body, /a page/)
  assert.match(await connectBy(egress, `localhost:${secure.port}`), /^HTTP\/1\.1 200/)
  assert.deepEqual(
    upstream.visits.map(({ kind, target, credentials }) => [kind, target, credentials]),
    [
      ['request', `http://${website.host}/a%2fb?c=1`, 'ann:s3cret'],
      ['tunnel', `localhost:${secure.port}`, 'ann:s3cret'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(website.requests.map(({ rawHeaders }) => rawHeaders)), /s3cret|proxy-/i)
})

test('over SOCKS5, a plain request has only a path, not the absolute URL that an HTTP proxy needs', async () => {
  await using website = await openWebsite()
  await using upstream = await SocksServer.start({ credentials: 'bob:pa55' })
  await using egress = await openBefore(upstream, [website.host])
  assert.match((await ask(egress, `http://${website.host}/x`)).body, /a page/)
  assert.equal(website.requests[0]!.url, '/x')
  assert.deepEqual(upstream.visits, [{ target: website.host, kind: 'address', credentials: 'bob:pa55' }])
})

test('a request that the gate refuses never reaches the upstream proxy', async () => {
  await using upstream = await ForwardProxy.start()
  await using egress = await openBefore(upstream, [])
  for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/', `http://${upstream.place}/`])
    assert.equal((await ask(egress, url)).headers[failureHeader], 'address.refused', url)
  for (const authority of ['127.0.0.1:6379', '[::1]:443'])
    assert.match(await connectBy(egress, authority), /address\.refused/)
  assert.deepEqual(upstream.visits, [])
})

test('a wrong password and an unreachable upstream proxy have different errors', async () => {
  await using website = await openWebsite()
  await using upstream = await ForwardProxy.start({ credentials: 'ann:right' })
  const wrong = { url: upstream.url.replace('right', 'wrong'), place: upstream.place }
  await using egress = await openBefore(wrong, [website.host])
  assert.equal((await ask(egress, `http://${website.host}/`)).headers[failureHeader], 'proxy.refused')
  assert.match(await connectBy(egress, website.host), /proxy\.refused/)
  await upstream.die()
  assert.equal((await ask(egress, `http://${website.host}/`)).headers[failureHeader], 'proxy.failed')
  assert.equal(website.requests.length, 0)
})
