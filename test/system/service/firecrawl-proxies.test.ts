// Tests proxies in the Firecrawl API: country and kind select from the configured proxies, within the scopes of a key.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { ForwardProxy } from '../../support/proxies/forward-proxy.ts'
import { TestService } from '../../support/service.ts'
import { temporaryFile } from '../../support/temporary-file.ts'

let site: TestSite
let german: ForwardProxy
let gateway: ForwardProxy
let file: Awaited<ReturnType<typeof temporaryFile>>
let service: TestService
/** Keys with and without the scope for paid proxies. */
let rich: string
let poor: string

before(async () => {
  site = await startTestSite()
  site.serve('/page', '<title>Page</title><h1>A page</h1><p>with a few words on it</p>')
  german = await ForwardProxy.start({ credentials: 'ann:one-1' })
  gateway = await ForwardProxy.start()
  const zones =
    '{ datacenter: { zone: dc1, password: pw-dc }, residential: { zone: res1, password: pw-res } }'
  // One listed proxy for each request of this test, because a proxy rests after a request to a host.
  const listed = `  - { url: "${german.url}", country: de }\n`.repeat(12)
  file = await temporaryFile(
    'proxies.yaml',
    `proxies:\n${listed}providers:\n  brightdata: { customer: hl_1, gateway: "http://${gateway.place}", zones: ${zones} }\n`,
  )
  service = await TestService.open({
    settings: { proxiesFile: file.path, allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
  rich = await service.key({ scopes: ['read', 'submit', 'proxies', 'stealth'] })
  poor = await service.key({ scopes: ['read', 'submit'] })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await file[Symbol.asyncDispose]()
  for (const proxy of [german, gateway]) await proxy[Symbol.asyncDispose]()
  await site.close()
})
beforeEach(() => {
  for (const proxy of [german, gateway]) proxy.visits.length = 0
})

interface Scraped {
  success: boolean
  error?: string
  warning?: string
  data?: { metadata: { proxyUsed: string } }
}

let asked = 0

async function scrape(options: object, key: string) {
  const url = `${site.url}/page?n=${asked++}`
  const body = { url, maxAge: 0, ...options }
  const answer = await service.ask<Scraped>('/v2/scrape', { body, key })
  return { status: answer.status, warning: answer.body.warning ?? '', ...answer.body }
}

const usersOf = ({ visits }: ForwardProxy): string[] =>
  visits.filter(({ target }) => target.includes('/page')).map(({ credentials }) => String(credentials))

test('for every key, a country selects a proxy listed for this country', async () => {
  const { status, warning } = await scrape({ location: { country: 'DE' } }, poor)
  assert.deepEqual([status, warning], [200, ''])
  assert.deepEqual([usersOf(german), usersOf(gateway)], [['ann:one-1'], []])
})

test('if only a provider has proxies in the country, a key with the scope uses this provider', async () => {
  const { status, warning } = await scrape({ location: { country: 'US' } }, rich)
  assert.deepEqual([status, warning], [200, ''])
  assert.match(usersOf(gateway)[0]!, /^brd-customer-hl_1-zone-dc1-country-us-session-\w+:pw-dc$/)
})

test('if the key lacks the scope for a provider, or the country is invalid, the page is fetched directly, with a warning', async () => {
  const unpaid = await scrape({ location: { country: 'US' } }, poor)
  assert.equal(unpaid.status, 200)
  assert.match(unpaid.warning, /location\.country: .*brightdata needs a key with the scope "proxies"/)
  assert.deepEqual(usersOf(gateway), [])
  const strange = await scrape({ location: { country: 'Atlantis' } }, rich)
  assert.match(strange.warning, /"Atlantis" is not a two-letter country code/)
})

test('stealth uses residential proxies and the stealth browser, and a key needs the scopes for both', async () => {
  const refused = await scrape({ proxy: 'stealth' }, poor)
  assert.equal(refused.status, 403, JSON.stringify(refused))
  const body = {
    urls: [`${site.url}/page?stealth`],
    proxy: 'enhanced',
    location: { country: 'FR' },
    maxAge: 0,
  }
  const { body: started } = await service.ask<{ id: string }>('/v2/batch/scrape', { body, key: rich })
  const shown = await service.ask<{ values: Array<{ path: string; value: unknown }> }>(
    `/jobs/${started.id}/policy`,
  )
  const valueAt = (path: string) => shown.body.values.find(value => value.path === path)?.value
  assert.deepEqual(['proxy.provider', 'proxy.type', 'proxy.country'].map(valueAt), [
    'brightdata',
    'residential',
    'fr',
  ])
  await service.ended(started.id)
  assert.match(usersOf(gateway)[0]!, /zone-res1-country-fr-session/)
  const { text } = await service.ask(`/jobs/${started.id}/conduct`)
  assert.match(text, /"stealth"/)
  assert.match(text, /brightdata residential fr/)
})

test('with `proxy: auto`, a refused page is retried once with another identity', async () => {
  const { body } = await service.ask<{ id: string }>('/v2/batch/scrape', {
    body: { urls: [`${site.url}/page?auto`], proxy: 'auto' },
    key: poor,
  })
  const { text } = await service.ask(`/jobs/${body.id}/policy`)
  assert.match(text, /"path":"blocks\.retries","value":1/)
})

test('a map that names a country also uses a proxy of this country', async () => {
  const { status, body } = await service.ask<{ warning?: string }>('/v2/map', {
    body: { url: site.url, limit: 2, location: { country: 'de' } },
    key: poor,
  })
  assert.deepEqual([status, body.warning], [200, undefined])
  assert.ok(german.visits.length > 0)
})

test('a caller gets a warning about an option that a provider’s network does not support', async () => {
  const proxy = { provider: 'brightdata', type: 'datacenter', country: 'us', city: 'phoenix' }
  const body = { urls: [`${site.url}/page?city`], policy: { proxy } }
  const { body: made } = await service.ask<{ warnings: string[] }>('/jobs', { body, key: rich })
  assert.equal(made.warnings.length, 1)
  assert.match(
    made.warnings[0]!,
    /datacenter proxies of brightdata .* country only: city "phoenix" was left out/,
  )
})
