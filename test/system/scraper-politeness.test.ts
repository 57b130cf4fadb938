// Tests scrapers with code: every page that they open is requested politely, and the limits of hosts apply.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { maxInFlight, startTestSite, type TestSite } from '../site/index.ts'
import { paceOf, startArrivals } from '../support/arrivals.ts'
import { TestEngine } from '../support/engine.ts'

const limit = { timeout: 120_000 }
const placeOf = (site: TestSite) => `${site.host}:${site.port}`

test(
  'pages that a scraper opens wait for the delay of their host, however many tasks run',
  limit,
  async () => {
    // The site runs on its own thread: there are only five gaps, and one late measurement would make them seem too short.
    await using site = await startArrivals({ hosts: 1 })
    const [host = ''] = site.hosts
    const opener = defineScraper({
      id: 'opener',
      async run({ open, emit }) {
        for (const path of ['/about', '/jobs', '/blog/'])
          emit({ title: (await open(`http://${host}${path}`)).text('title') })
      },
    })
    await using here = await TestEngine.open({
      settings: { allowPrivate: [host] },
      scrapers: [opener],
    })
    const { counts } = await here.run({
      items: [{ input: { a: 1 } }, { input: { a: 2 } }],
      scraperId: 'opener',
      policy: { host: { rate: 5 } },
    })
    assert.equal(counts.records, 6)
    // The first request is for robots.txt.
    const times = (await site.read()).get(host)!.slice(1)
    assert.equal(times.length, 6)
    assert.ok(paceOf(host, times, 200).fastestWindow >= 0.95, `arrived at ${times.map(Math.round)} ms`)
  },
)

test(
  'a scraper cannot open a page that robots.txt disallows, and the task shows the reason',
  limit,
  async () => {
    await using site = await startTestSite()
    site.serve('/robots.txt', {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /jobs',
    })
    const opener = defineScraper({
      id: 'opener',
      run: async ({ open }) => void (await open(`${site.url}/jobs`)),
    })
    await using here = await TestEngine.open({
      settings: { allowPrivate: [placeOf(site)] },
      scrapers: [opener],
    })
    const { counts } = await here.run({ items: [{ input: {} }], scraperId: 'opener' })
    assert.deepEqual(counts.byReason, { 'robots.disallowed': 1 })
    assert.equal(site.requestsTo('/jobs').length, 0)
  },
)

test('if a page of a scraper gets a 429, the host pauses for every task', limit, async () => {
  await using site = await startTestSite()
  site.fail('/about', 1, 429, { 'retry-after': '1' })
  const opener = defineScraper({
    id: 'opener',
    async run({ open, emit }) {
      emit({ title: (await open(`${site.url}/about`)).text('title') })
    },
  })
  await using here = await TestEngine.open({
    settings: { allowPrivate: [placeOf(site)] },
    scrapers: [opener],
  })
  const { job, counts } = await here.run({
    items: [{ input: { a: 1 } }],
    scraperId: 'opener',
    policy: { robots: 'ignore', host: { rate: 100 } },
  })
  assert.deepEqual([job.state, counts.records], ['completed', 1])
  const host = await here.engine.data.store.hosts.get(placeOf(site))
  assert.equal(host?.lastError, 'host.throttled')
  assert.ok((host?.rateFactor ?? 1) < 1, 'the rate of the host is lower')
  const [first, second] = site.requestsTo('/about')
  assert.ok(second!.at - first!.at >= 1_000)
})

test(
  'URLs that a scraper follows must be in the scope of the job, and each is fetched once',
  limit,
  async () => {
    await using site = await startTestSite()
    const follower = defineScraper({
      id: 'follower',
      async run({ open, emit, follow, url }) {
        const page = await open()
        emit({ url })
        if (url.endsWith('/start'))
          for (const link of ['/about', '/about#x', 'https://elsewhere.example/', page.url]) follow(link)
      },
    })
    site.serve('/start', '<p>start')
    await using here = await TestEngine.open({
      settings: { allowPrivate: [placeOf(site)] },
      scrapers: [follower],
    })
    const { counts } = await here.run({
      seedUrls: [`${site.url}/start`],
      sitemap: 'skip',
      scraperId: 'follower',
      policy: { host: { rate: 'unlimited' } },
    })
    assert.deepEqual([counts.records, counts.tasks], [2, 2])
    assert.ok(maxInFlight(site.requests) >= 1)
  },
)

test('in a job of items, a scraper can follow only links to the site of its page', limit, async () => {
  await using site = await startTestSite()
  const follower = defineScraper({
    id: 'follower',
    async run({ open, emit, follow, url }) {
      const page = await open(url || `${site.url}/start`)
      emit({ url: page.url })
      if (url === '') for (const link of ['/about', 'https://elsewhere.example/']) follow(link)
    },
  })
  site.serve('/start', '<p>start')
  await using here = await TestEngine.open({
    settings: { allowPrivate: [placeOf(site)] },
    scrapers: [follower],
  })
  const { counts } = await here.run({
    items: [{ input: { row: 1 } }],
    scraperId: 'follower',
    policy: { host: { rate: 'unlimited' } },
  })
  assert.deepEqual([counts.records, counts.tasks], [2, 2])
  assert.deepEqual(counts.linksRefused, { 'scope.refused': 1 })
})

test(
  'a scraper that never ends fails its task at the timeout, whatever the scraper waits for',
  limit,
  async () => {
    await using site = await startTestSite()
    const forever = defineScraper({
      id: 'forever',
      policy: { timeouts: { taskMs: 50 }, retries: { attempts: 0 } },
      async run({ open }) {
        await open()
        await new Promise(() => {})
      },
    })
    await using here = await TestEngine.open({
      settings: { allowPrivate: [placeOf(site)] },
      scrapers: [forever],
    })
    const { job, counts } = await here.run({ urls: [`${site.url}/about`], scraperId: 'forever' })
    assert.deepEqual([job.state, counts.byReason], ['failed', { 'task.deadline': 1 }])
    const [task] = await here.tasks(job.id)
    assert.match(task!.message!, /forever@1 did not finish within 50 ms.*policy\.timeouts\.task_ms/)
  },
)
