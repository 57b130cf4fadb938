// Tests proxies over several processes: the leader chooses a proxy, and workers use it and test unhealthy proxies.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestCluster, until } from '../../support/cluster.ts'
import { ForwardProxy } from '../../support/proxies/forward-proxy.ts'
import { type TemporaryFile, temporaryFile } from '../../support/temporary-file.ts'

let cluster: TestCluster
let site: TestSite
let proxies: ForwardProxy[]
let gateway: ForwardProxy
let policies: TemporaryFile
before(async () => {
  site = await startTestSite()
  for (let n = 1; n <= 8; n++) site.serve(`/products/${n}`, `<title>Product ${n}</title><p>number ${n}</p>`)
  proxies = await Promise.all(
    ['ann:one-1', 'bob:two-2'].map(credentials => ForwardProxy.start({ credentials })),
  )
  gateway = await ForwardProxy.start()
  policies = await temporaryFile(
    'policies.yaml',
    'localhost: { proxy: { provider: brightdata, type: residential, country: fr } }\n',
  )
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port},localhost:${site.port}`,
    SCRAPER_DOMAIN_POLICIES: policies.path,
    SCRAPER_BRIGHTDATA_CUSTOMER: 'hl_1',
    SCRAPER_BRIGHTDATA_ZONES: 'residential=res1:pw-res',
    SCRAPER_BRIGHTDATA_GATEWAY: `http://${gateway.place}`,
    SCRAPER_PROXIES: proxies.map(({ url }) => url).join(','),
    SCRAPER_PROXY_CHECK: '300ms',
  })
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  for (const proxy of [...proxies, gateway]) await proxy[Symbol.asyncDispose]()
  await policies[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

test('workers rotate the proxies; if no proxy is healthy the job waits, and continues when one recovers', async () => {
  const roles = await Promise.all([
    cluster.start(['coordinator', 'processor']),
    cluster.start(['http-worker']),
  ])
  const told = () => roles.map(role => role.output()).join('\n')
  const policy = { host: { rate: 'unlimited' as const }, proxy: { restMs: 0 }, identity: { count: 4 } }
  const urls = (from: number) => [1, 2, 3, 4].map(n => `${site.url}/products/${n + from}`)
  const first = await cluster.submit({ urls: urls(0), policy }, site)
  assert.equal((await cluster.ended(first.id)).state, 'completed', told())
  const pages = () =>
    proxies.map(({ visits }) => visits.filter(({ target }) => target.includes('/products/')).length)
  assert.deepEqual(pages(), [2, 2])
  assert.deepEqual(
    proxies.map(({ visits }) => [...new Set(visits.map(({ credentials }) => credentials))]),
    [['ann:one-1'], ['bob:two-2']],
  )
  for (const proxy of proxies) await proxy.die()
  const second = await cluster.submit({ urls: urls(4), policy }, site)
  await until('the job to pause', async () => {
    const job = await cluster.store.jobs.get(second.id)
    return job?.state === 'paused' && job.reason === 'no-healthy-proxy'
  })
  await proxies[1]!.revive()
  assert.equal((await cluster.ended(second.id)).state, 'completed', told())
  const attempts = (
    await Promise.all([1, 2, 3, 4].map(n => cluster.store.tasks.attempts(second.id, n)))
  ).flat()
  assert.ok(
    attempts.filter(({ outcome }) => outcome === 'ok').every(({ proxy }) => proxy === proxies[1]!.name),
  )
  assert.doesNotMatch(told(), /one-1|two-2/)
})

test('workers get the proxy policies of domains and items, and test these proxies', async () => {
  const there = (n: number) => `http://localhost:${site.port}/products/${n}`
  const policy = { host: { rate: 'unlimited' as const }, proxy: { restMs: 0 } }
  const run = async (from: number) => {
    const items = [
      { itemId: 'by-domain', input: { url: there(from) } },
      { itemId: 'by-itself', input: { url: there(from + 1) }, policy: { proxy: { use: 'never' as const } } },
    ]
    return (await cluster.submit({ items, policy }, { host: 'localhost', port: site.port })).id
  }
  assert.equal((await cluster.ended(await run(1))).state, 'completed')
  const pages = () => gateway.visits.filter(({ target }) => target.includes('/products/'))
  assert.deepEqual(
    pages().map(({ target }) => new URL(target).pathname),
    ['/products/1'],
  )
  assert.match(pages()[0]!.credentials!, /^brd-customer-hl_1-zone-res1-country-fr-session-\w+:pw-res$/)
  await gateway.die()
  const waiting = await run(3)
  await until('the job to wait for the provider', async () => {
    const job = await cluster.store.jobs.get(waiting)
    return job?.state === 'paused' && job.reason === 'no-healthy-proxy'
  })
  await gateway.revive()
  assert.equal((await cluster.ended(waiting)).state, 'completed')
})
