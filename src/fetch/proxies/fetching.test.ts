// Tests plain requests through real proxies: what a proxy sees, what is hidden from it, and which failures it causes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failing, get, openFetchFor } from '../../../test/fetching.ts'
import { startTlsServer } from '../../../test/site/tls-server.ts'
import { silentHost, slowToConnectHost } from '../../../test/support/failing-hosts.ts'
import { ForwardProxy } from '../../../test/support/proxies/forward-proxy.ts'
import { startPlainSite, startTalker } from '../../../test/support/proxies/plain-site.ts'
import { SocksServer } from '../../../test/support/proxies/socks-server.ts'
import { CookieJar } from '../http/index.ts'
import { addressFor, type ProxyAddress, parseProxy } from './endpoint.ts'

const hello = () => startPlainSite((_request, response) => response.end('hello'))

const own = (url: string): ProxyAddress => addressFor(parseProxy(url, { isOperators: true }), 's1')

interface Listening {
  url: string
  place: string
}

function openFor(sites: { url: string }[], proxies: Listening[], caFile?: string) {
  const rules = { ownPlaces: proxies.map(({ place }) => place), names: 'here' as const }
  return openFetchFor(sites, { proxies: rules, ...(caFile && { caFile }) })
}

test('a plain page is requested from the proxy in absolute form, and only the proxy gets its credentials', async () => {
  await using site = await hello()
  await using proxy = await ForwardProxy.start({ credentials: 'ann:s3cret' })
  await using http = openFor([site], [proxy])
  const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: own(proxy.url) })
  const got = await get(fetch, `${site.url}/a?b=1`)
  assert.equal(got.body.toString(), 'hello')
  assert.equal(got.remoteAddress, null)
  assert.deepEqual(
    proxy.visits.map(({ kind, target, credentials }) => [kind, target, credentials]),
    [['request', `${site.url}/a?b=1`, 'ann:s3cret']],
  )
  assert.doesNotMatch(JSON.stringify(site.requests), /proxy-|s3cret|YW5uOn/i)
})

test('a page over https goes through a tunnel, with TLS between the site and kscrape', async () => {
  await using site = await startTlsServer({ kind: 'good-with-own-ca' })
  for (const secure of [false, true]) {
    await using proxy = await ForwardProxy.start({ credentials: 'ann:s3cret', secure })
    await using http = openFor([site], [{ url: proxy.url, place: new URL(proxy.url).host }], site.caFile)
    const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: own(proxy.url) })
    const got = await get(fetch, `${site.url}/x`)
    assert.equal(got.status, 200)
    assert.equal(got.httpVersion, '2')
    const [visit] = proxy.visits
    assert.deepEqual(
      [visit!.kind, visit!.target, visit!.credentials],
      ['tunnel', new URL(site.url).host, 'ann:s3cret'],
    )
  }
})

test('a SOCKS5 proxy gets the checked address, a socks5h proxy the host name, both after authentication', async () => {
  await using site = await startTlsServer({ kind: 'good-with-own-ca' })
  await using socks = await SocksServer.start({ credentials: 'bob:pa55' })
  await using http = openFor([site], [socks], site.caFile)
  for (const url of [socks.url, socks.url.replace('socks5:', 'socks5h:')])
    assert.equal(
      (await get(http.fetchAs({ cookies: new CookieJar(), proxy: own(url) }), site.url)).status,
      200,
    )
  const { port } = site
  assert.deepEqual(
    socks.visits.map(({ kind, credentials }) => [kind, credentials]),
    [
      ['address', 'bob:pa55'],
      ['name', 'bob:pa55'],
    ],
  )
  assert.equal(socks.visits[1]!.target, `localhost:${port}`)
})

test('a wrong password is a refusal by the proxy, in every protocol, and no message contains it', async () => {
  await using site = await hello()
  await using secure = await startTlsServer({ kind: 'good-with-own-ca' })
  await using forward = await ForwardProxy.start({ credentials: 'ann:right' })
  await using socks = await SocksServer.start({ credentials: 'ann:right' })
  await using http = openFor([site, secure], [forward, socks], secure.caFile)
  for (const proxy of [forward, socks])
    for (const url of [site.url, secure.url]) {
      const wrong = own(proxy.url.replace('right', 'wr0ng'))
      const failure = await failing(
        get(http.fetchAs({ cookies: new CookieJar(), proxy: wrong }), url),
        'proxy.refused',
      )
      assert.equal(failure.details.blames, 'proxy')
      assert.match(failure.message, new RegExp(proxy.place))
      assert.doesNotMatch(JSON.stringify(failure) + failure.stack, /wr0ng|ann:|d3Iwbmc/)
    }
})

test('an error before the proxy connects counts against the proxy; a later error may be caused by the site', async () => {
  await using site = await startTlsServer({ kind: 'good-with-own-ca' })
  await using proxy = await ForwardProxy.start()
  await using noise = await startTalker('what?\r\n\r\n')
  await using http = openFor([site], [proxy, noise], site.caFile)
  const ask = (url: string) => get(http.fetchAs({ cookies: new CookieJar(), proxy: own(url) }), site.url)
  assert.equal((await failing(ask(noise.url), 'proxy.failed')).details.blames, 'proxy')
  proxy.mood = 'cuts'
  assert.equal((await failing(ask(proxy.url), 'proxy.failed')).details.blames, 'proxy')
  proxy.mood = 'lost'
  const lost = await failing(ask(proxy.url), 'connect.failed')
  assert.deepEqual([lost.details.blames, lost.details.proxy], [undefined, proxy.name])
  await proxy.die()
  assert.equal((await failing(ask(proxy.url), 'proxy.failed')).details.blames, 'proxy')
})

test('a proxy that never answers delays a request by at most the connect timeout', async () => {
  await using site = await startTlsServer({ kind: 'good-with-own-ca' })
  await using proxy = await ForwardProxy.start()
  proxy.mood = 'slow'
  await using http = openFor([site], [proxy], site.caFile)
  const timeouts = { connectMs: 200, headersMs: 5_000, idleMs: 5_000, totalMs: 10_000 }
  const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: own(proxy.url) })
  const failure = await failing(get(fetch, site.url, { timeouts }), 'connect.timeout')
  assert.equal(failure.details.proxy, proxy.name)
})

test('a proxy that accepts no connection in time or never completes its handshake counts as failed, and the site does not', async () => {
  await using site = await hello()
  await using slow = await slowToConnectHost()
  await using silent = await silentHost()
  await using http = openFor([site], [slow, silent])
  const timeouts = { connectMs: 200, headersMs: 5_000, idleMs: 5_000, totalMs: 10_000 }
  for (const url of [slow.url, silent.url.replace('http:', 'socks5:')]) {
    const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: own(url) })
    const failure = await failing(get(fetch, site.url, { timeouts }), 'proxy.failed')
    assert.equal(failure.details.blames, 'proxy')
    assert.match(failure.message, /did not answer within 200 ms/)
  }
})

test('a forbidden URL is never sent to a proxy, and a job’s proxy may not be a private address', async () => {
  await using site = await hello()
  await using proxy = await ForwardProxy.start({
    hosts: { 'rebound.example': { host: '127.0.0.1', port: 1 } },
  })
  await using http = openFor([site], [proxy])
  const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: own(proxy.url) })
  for (const url of [
    'http://169.254.169.254/',
    'https://10.0.0.1/',
    'http://localhost:6379/',
    `http://${proxy.place}/`,
  ])
    await failing(get(fetch, url), 'address.refused')
  const ofJob = addressFor(parseProxy(proxy.url), 's1')
  await failing(get(http.fetchAs({ cookies: new CookieJar(), proxy: ofJob }), site.url), 'address.refused')
  assert.deepEqual(proxy.visits, [])
})

test('a redirect to another site uses the same proxy, and credentials of one proxy never reach another', async () => {
  await using target = await startPlainSite((_request, response) => response.end('there'))
  await using first = await startPlainSite((_request, response) =>
    response.writeHead(302, { location: target.url }).end(),
  )
  await using one = await ForwardProxy.start({ credentials: 'ann:one' })
  await using two = await ForwardProxy.start({ credentials: 'bob:two' })
  await using http = openFor([target, first], [one, two])
  const ask = (proxy: ForwardProxy) =>
    get(http.fetchAs({ cookies: new CookieJar(), proxy: own(proxy.url) }), first.url)
  assert.equal((await ask(one)).body.toString(), 'there')
  assert.equal((await ask(two)).body.toString(), 'there')
  assert.deepEqual(
    one.visits.map(({ credentials }) => credentials),
    ['ann:one', 'ann:one'],
  )
  assert.deepEqual(
    two.visits.map(({ credentials }) => credentials),
    ['bob:two', 'bob:two'],
  )
})
