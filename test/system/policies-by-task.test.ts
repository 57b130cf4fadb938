// Tests which layer of a policy wins for proxies, identities and attempts: that of the domain, of the item or of the row.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Failure } from '../../src/model/failures.ts'
import type { JobSpecInput } from '../../src/model/job.ts'
import { executionPolicy, taskPolicy } from '../../src/model/policy/policy.ts'
import { layeredPolicy, policyOfTask } from '../../src/model/policy/policy-layers.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestEngine } from '../support/engine.ts'
import { ForwardProxy } from '../support/proxies/forward-proxy.ts'
import { temporaryFile } from '../support/temporary-file.ts'

let site: TestSite
let listed: ForwardProxy
let gateway: ForwardProxy
before(async () => {
  site = await startTestSite()
  for (let n = 1; n <= 6; n++) site.serve(`/page/${n}`, `<title>Page ${n}</title><p>number ${n}</p>`)
  site.serve('/broken', { status: 500, body: 'no' })
  listed = await ForwardProxy.start({ credentials: 'ann:one-1' })
  gateway = await ForwardProxy.start()
})
after(async () => {
  for (const proxy of [listed, gateway]) await proxy[Symbol.asyncDispose]()
  await site.close()
})
beforeEach(() => {
  for (const proxy of [listed, gateway]) proxy.visits.length = 0
  site.requests.length = 0
})

/** The same site under two host names. */
const hereAt = (path: string) => `${site.url}${path}`
const thereAt = (path: string) => hereAt(path).replace(site.host, 'localhost')

const zones = ['datacenter=dc1:pw-dc', 'residential=res1:pw-res']

async function open(policies = 'default: { rate: unlimited }', settings: object = {}) {
  await using file = await temporaryFile('policies.yaml', policies)
  return await TestEngine.open({
    settings: {
      ...{ domainPolicies: file.path, proxies: [listed.url], proxyCheckMs: 50 },
      ...{ brightdataCustomer: 'hl_1', brightdataZones: zones, brightdataGateway: `http://${gateway.place}` },
      allowPrivate: [`${site.host}:${site.port}`, `localhost:${site.port}`],
      ...settings,
    },
  })
}

const quick = {
  host: { rate: 'unlimited' as const },
  robots: 'ignore' as const,
  retries: { baseMs: 1, jitter: 0 },
}
const byListed: JobSpecInput['policy'] = { ...quick, proxy: { restMs: 0 } }

const pagesOf = ({ visits }: ForwardProxy) =>
  visits.filter(({ target }) => target.includes('/page/')).map(({ target }) => new URL(target))
const agentAt = (path: string) =>
  String(site.requests.find(({ url }) => url === path)?.headers['user-agent'] ?? 'nobody asked')

test('one domain can be requested directly, although all other domains use proxies', async () => {
  await using engine = await open('default: { rate: unlimited }\nlocalhost: { proxy: { use: never } }')
  const { counts } = await engine.run({
    urls: [hereAt('/page/1'), thereAt('/page/2'), hereAt('/page/3')],
    policy: byListed,
  })
  assert.equal(counts.byState.succeeded, 3)
  assert.deepEqual(
    pagesOf(listed)
      .map(({ pathname }) => pathname)
      .toSorted(),
    ['/page/1', '/page/3'],
  )
})

test('a domain policy can select a proxy network and browser headers, and the receipt names the operator', async () => {
  await using engine = await open(
    'default: { rate: unlimited }\nlocalhost: { proxy: { provider: brightdata, type: residential, country: fr }, identity: { headers: browser } }',
  )
  const { job, counts } = await engine.run({
    urls: [hereAt('/page/1'), thereAt('/page/2')],
    policy: byListed,
  })
  assert.equal(counts.byState.succeeded, 2)
  assert.deepEqual(
    [pagesOf(listed), pagesOf(gateway)].map(urls => urls.map(({ pathname }) => pathname)),
    [['/page/1'], ['/page/2']],
  )
  assert.match(gateway.visits.at(-1)!.credentials!, /zone-res1-country-fr-session-/)
  assert.match(agentAt('/page/1'), /^kscrape\//)
  assert.match(agentAt('/page/2'), /^Mozilla\/5\.0 .*Chrome/)
  const notes = await engine.engine.data.store.conduct.notes(job.id)
  assert.deepEqual(
    notes.filter(({ who }) => who === 'operator').map(({ what }) => what),
    ['browser_headers', 'proxies'],
  )
})

test('the policy of a job wins over the policy of its domain, and the policy of an item wins over both', async () => {
  await using engine = await open('default: { rate: unlimited }\nlocalhost: { proxy: { use: never } }')
  const item = (path: string, policy?: object) => ({ itemId: path.slice(6), input: { url: path }, policy })
  const { counts } = await engine.run({
    items: [
      item(thereAt('/page/1')),
      item(thereAt('/page/2'), { proxy: { use: 'never' } }),
      item(hereAt('/page/3'), { proxy: { provider: 'brightdata', type: 'datacenter' } }),
      item(hereAt('/page/4'), { identity: { headers: 'browser' } }),
    ].map((one, index) => ({ ...one, itemId: `item-${index + 1}` })) as NonNullable<JobSpecInput['items']>,
    policy: { ...byListed, proxy: { use: 'always', restMs: 0 } },
  })
  assert.equal(counts.byState.succeeded, 4)
  assert.deepEqual(
    pagesOf(listed)
      .map(({ pathname }) => pathname)
      .toSorted(),
    ['/page/1', '/page/4'],
  )
  assert.deepEqual(
    pagesOf(gateway).map(({ pathname }) => pathname),
    ['/page/3'],
  )
  assert.match(agentAt('/page/4'), /^Mozilla/)
  assert.match(agentAt('/page/2'), /^kscrape/)
})

test('rows of a file can have a policy in a column that the job names, and rows with an invalid policy are rejected', async () => {
  const rows = [
    { url: hereAt('/page/1'), how: { proxy: { use: 'never' } } },
    { url: hereAt('/page/2') },
    { url: hereAt('/broken'), how: { retries: { attempts: 1 }, proxy: { use: 'never' } } },
    { url: hereAt('/page/3'), how: { retrys: { attempts: 1 } } },
    { url: hereAt('/page/4'), how: { identity: { headers: 'browser' } } },
    { url: hereAt('/page/5'), how: { retries: { attempts: 19 } } },
    { url: hereAt('/page/6'), how: { proxy: { country: 'zz', use: 'always' } } },
  ]
  await using file = await temporaryFile('rows.jsonl', rows.map(row => JSON.stringify(row)).join('\n'))
  await using engine = await open(undefined, { ceilings: { retries: { attempts: 5 } } })
  const spec: JobSpecInput = { policyColumn: 'how', policy: byListed }
  const { job, counts } = await engine.run(spec, { source: file.path })
  assert.deepEqual([counts.byState.succeeded, counts.byState.failed], [2, 1])
  assert.equal(site.requests.filter(({ url }) => url === '/broken').length, 2, 'one attempt and one retry')
  assert.deepEqual(
    pagesOf(listed).map(({ pathname }) => pathname),
    ['/page/2'],
  )
  const rejected = await engine.engine.data.store.tasks.rejected(job.id)
  assert.deepEqual(
    rejected.map(({ reason }) => reason.replace(/[:;].*/s, '')),
    [
      'column "how" has an invalid policy',
      'policy.identity.headers',
      'policy.retries.attempts',
      'policy.proxy',
    ],
  )
  assert.match(rejected[0]!.reason, /retrys/)
})

test('in a CSV file, the policy of a row is JSON in a cell, and is not part of the row’s input', async () => {
  const quoted = JSON.stringify({ proxy: { use: 'never' } }).replaceAll('"', '""')
  await using file = await temporaryFile(
    'rows.csv',
    `url,policy\n${hereAt('/page/1')},"${quoted}"\n${hereAt('/page/2')},\n`,
  )
  await using engine = await open()
  const { job, counts } = await engine.run(
    { policyColumn: 'policy', policy: byListed },
    { source: file.path },
  )
  assert.equal(counts.byState.succeeded, 2)
  assert.deepEqual(
    pagesOf(listed).map(({ pathname }) => pathname),
    ['/page/2'],
  )
  const [first] = await engine.tasks(job.id)
  assert.deepEqual(JSON.parse(first!.input!), { url: hereAt('/page/1') })
  await assert.rejects(
    engine.submit({ urls: [hereAt('/page/1')], policyColumn: 'policy' }),
    (error: unknown) => error instanceof Failure && /policy_column/.test(error.message),
  )
})

test('unknown proxies are refused, both when a job is submitted and when the program starts', async () => {
  await assert.rejects(open('shop.example: { proxy: { provider: nobody } }'), (error: unknown) => {
    assert.ok(error instanceof Failure)
    assert.match(
      error.message,
      /policies\.yaml: shop\.example: proxy\.provider: "nobody" is not a proxy provider/,
    )
    return true
  })
  await using engine = await open()
  const items = [{ input: { url: hereAt('/page/1') }, policy: { proxy: { provider: 'nobody' } } }]
  await assert.rejects(
    engine.submit({ items, policy: quick }),
    /items\[0\]\.policy\.proxy\.provider: "nobody"/,
  )
})

test('every value of a policy shows the layer that set it', () => {
  const { policy, policyFrom } = layeredPolicy([
    { from: 'scraper', policy: { proxy: { rotation: 'random' } } },
    { from: 'job', policy: { identity: { tls: 'browser' } } },
  ])
  const domain = taskPolicy.parse({
    proxy: { country: 'de', rotation: 'sticky' },
    identity: { headers: 'browser', tls: 'own' },
    retries: { attempts: 9 },
  })
  const own = taskPolicy.parse({ proxy: { country: 'us' }, browser: { navigationMs: 5_000 } })
  const layered = policyOfTask(
    { policy: executionPolicy.parse(policy), policyFrom },
    { domain, own, ceilings: { retries: { attempts: 4 } } },
  )
  const { proxy, identity, retries, browser } = layered.policy
  assert.deepEqual([proxy.country, proxy.rotation], ['us', 'random'])
  assert.deepEqual([identity.headers, identity.tls], ['browser', 'browser'])
  assert.deepEqual([retries.attempts, browser.navigationMs], [3, 5_000])
  assert.deepEqual(layered.policyFrom, {
    'proxy.rotation': 'scraper',
    'identity.tls': 'job',
    'identity.headers': 'domain',
    'retries.attempts': 'ceiling',
    'proxy.country': 'task',
    'browser.navigationMs': 'task',
  })
})
