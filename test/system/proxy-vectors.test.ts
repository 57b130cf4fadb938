// Tests proxies and TLS handshakes that could bypass the egress gate: every vector is refused, and no forbidden server is
// connected to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CookieJar, EgressGate, openHttpFetch } from '../../src/fetch/http/index.ts'
import { addressFor, parseProxy } from '../../src/fetch/proxies/endpoint.ts'
import { Failure } from '../../src/model/failures.ts'
import { failing, get, openFetchFor } from '../fetching.ts'
import { ForwardProxy } from '../support/proxies/forward-proxy.ts'
import { startPlainSite } from '../support/proxies/plain-site.ts'
import { SocksServer } from '../support/proxies/socks-server.ts'
import { TestService } from '../support/service.ts'
import { ssrfVectors } from '../vectors/ssrf.ts'

// A fetch that reads these variables would bypass the egress gate.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])
  process.env[name] = 'http://127.0.0.1:9'
process.env.NO_PROXY = process.env.no_proxy = '*'

const of = (surface: string) => ssrfVectors('surface').filter(vector => vector.surface === surface)

const refusedLiterals = ssrfVectors('static').filter(
  ({ expect, input }) => expect === 'deny' && /^https?:/i.test(input),
)

test('the egress gate checks each proxy that a job names, in every API that accepts proxies', async () => {
  await using service = await TestService.open()
  const url = 'https://a.example/'
  const vectors = of('proxy_url')
  assert.ok(vectors.length >= 2)
  for (const { input } of [
    ...vectors,
    { input: 'socks5://169.254.169.254:1080' },
    { input: 'https://localhost:3128' },
  ])
    for (const [path, body] of [
      ['/jobs', { urls: [url], policy: { proxy: { urls: [input] } } }],
      ['/fetch/start', { links: [url], options: { proxies: [input] } }],
    ] as const) {
      const { status, text } = await service.ask(path, { body })
      assert.equal(status, 403, `${input} at ${path}: ${text}`)
    }
})

test('the egress gate checks addresses and host names before an allowed proxy gets them', async () => {
  await using forward = await ForwardProxy.start()
  await using socks = await SocksServer.start()
  const answers: Record<string, string> = { 'inside.example': '10.0.0.1', 'mixed.example': '169.254.169.254' }
  const resolve = async (host: string) => [{ address: answers[host] ?? '93.184.216.34', family: 4 }]
  const gate = new EgressGate({ allowPrivate: [], resolve })
  await using http = openHttpFetch({
    gate,
    userAgent: 'kscrape-test',
    proxies: { ownPlaces: [forward.place, socks.place], names: 'here' },
  })
  const targets = [
    ...of('proxied_target').map(({ input }) => /https?:\S+/.exec(input)![0]),
    ...refusedLiterals.map(({ input }) => input),
    ...['http://inside.example/', 'https://inside.example/', 'https://mixed.example/'],
  ]
  for (const proxy of [forward, socks]) {
    const address = addressFor(parseProxy(proxy.url, { isOperators: true }), 's')
    const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: address })
    for (const url of targets)
      await assert.rejects(
        get(fetch, url),
        (error: unknown) =>
          error instanceof Failure && ['address.refused', 'input.invalid'].includes(error.code),
        url,
      )
    assert.deepEqual(proxy.visits, [])
  }
})

test('requests with a browser’s handshake pass through the egress gate, whatever the environment says', async () => {
  await using site = await startPlainSite((_request, response) => response.end('hello'))
  await using inside = await startPlainSite((_request, response) => response.end('secret'))
  await using hop = await startPlainSite((_request, response) =>
    response.writeHead(302, { location: inside.url }).end(),
  )
  await using http = openFetchFor([site, hop])
  const fetch = http.fetchAs({ cookies: new CookieJar(), browserTls: true })
  assert.equal((await get(fetch, site.url)).body.toString(), 'hello')
  await failing(get(fetch, inside.url), 'address.refused')
  await failing(get(fetch, hop.url), 'address.refused')
  for (const { input } of refusedLiterals)
    await assert.rejects(get(fetch, input), (error: unknown) => error instanceof Failure, input)
  assert.equal(inside.requests.length, 0)
})

test('a request with a browser’s handshake uses the proxy of its identity, and a body above the limit is cut off', async () => {
  await using site = await startPlainSite((_request, response) => response.end('x'.repeat(100_000)))
  await using proxy = await ForwardProxy.start({ credentials: 'ann:one-1' })
  const rules = { ownPlaces: [proxy.place], names: 'here' as const }
  await using http = openFetchFor([site], { proxies: rules })
  const address = addressFor(parseProxy(proxy.url, { isOperators: true }), 's')
  const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: address, browserTls: true })
  assert.equal((await get(fetch, site.url)).body.length, 100_000)
  await failing(get(fetch, site.url, { maxBytes: 5_000 }), 'body.too-large')
  assert.deepEqual([...new Set(proxy.visits.map(({ credentials }) => credentials))], ['ann:one-1'])
  assert.doesNotMatch(JSON.stringify(site.requests), /one-1|proxy-/i)
  await proxy.die()
  assert.equal((await failing(get(fetch, site.url), 'proxy.failed')).details.proxy, proxy.name)
})
