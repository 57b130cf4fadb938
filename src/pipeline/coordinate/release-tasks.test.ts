// Tests how runnable tasks are released to the lanes: robots.txt is fetched first, and other tasks return with a reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, settled, type TestContext } from '../../../test/support/coordination.ts'
import { Failure } from '../../model/failures.ts'
import { defineScraper } from '../../scraper/define-scraper.ts'
import { releaseTasks } from './release-tasks.ts'

const quick = { policy: { rate: 'unlimited', concurrency: 8 } } as const

/** Releases tasks until no more may run. Returns the URL paths of the tasks that were given to the lanes. */
async function release(here: TestContext): Promise<string[]> {
  await releaseTasks(here.context, 100)
  await settled()
  return (await here.sent()).map(({ url }) => new URL(url).pathname)
}

test('the first task of a site waits for its robots.txt, and then runs', async () => {
  await using here = await openTestContext(quick)
  await here.adopt({ urls: ['https://a.example/1'] })
  assert.deepEqual(await release(here), ['/1'])
  assert.deepEqual(here.robotsAsked, ['https://a.example'])
})

test('a disallowed URL is reported with the rule and never requested', async () => {
  await using here = await openTestContext(quick)
  here.robots.set('https://a.example', 'User-agent: *\nDisallow: /no')
  await here.adopt({ urls: ['https://a.example/yes', 'https://a.example/no'] })
  assert.deepEqual(await release(here), ['/yes'])
  assert.deepEqual(
    here.delivered.map(({ failure }) => failure?.code),
    ['robots.disallowed'],
  )
  assert.equal(
    here.context.hosts.view('a.example', here.clock.now())?.inFlight,
    1,
    'the task occupies no slot at the host',
  )
})

test('a row without a URL needs no slot of a host, whatever the rate of its job', async () => {
  const rows = defineScraper({ id: 'rows', run: async () => {} })
  await using here = await openTestContext({ scrapers: [rows] })
  const policy = { host: { rate: 5 } }
  await here.adopt({ items: [{ input: { a: 1 } }], scraperId: 'rows', policy })
  await releaseTasks(here.context, 100)
  const sent = await here.sent()
  assert.deepEqual(
    sent.map(({ url, startAt, gapMs, goodForMs }) => [url, startAt, gapMs, goodForMs]),
    [['', 0, 0, undefined]],
  )
})

test('if a worker returned a task and the task is claimed again before the worker reports this, the task counts once', async () => {
  await using here = await openTestContext(quick)
  const { context, clock } = here
  const job = await here.adopt({ urls: ['https://a.example/1'] })
  await release(here)
  const [held] = [...context.inFlight.values()]
  await context.store.tasks.release(context.settings.owner, [held!.task])
  context.dispatcher.addWork(job.id, 'a.example', 1)

  assert.deepEqual(await release(here), ['/1'])

  const attempts = [...context.inFlight.values()].map(({ task }) => task.attempt)
  const inFlight = context.hosts.view('a.example', clock.now())?.inFlight
  assert.deepEqual([attempts, job.inFlight, inFlight], [[2], 1, 1])
})

test('if a task waits for a busy host and is claimed again, it runs once and takes one slot', async () => {
  await using here = await openTestContext(quick)
  const { context, clock } = here
  const job = await here.adopt({ urls: ['https://a.example/1'] })
  const { fetchRobots } = context.lanes
  context.lanes.fetchRobots = (...asked) => {
    for (let place = 0; place < 8; place++) context.hosts.occupy('a.example')
    return fetchRobots(...asked)
  }
  assert.deepEqual(await release(here), [])
  const [held] = [...context.inFlight.values()]
  await context.store.tasks.release(context.settings.owner, [held!.task])
  context.dispatcher.addWork(job.id, 'a.example', 1)
  const now = clock.now()
  for (let place = 0; place < 8; place++)
    context.hosts.finished('a.example', { startedAt: now, endedAt: now }, now)
  await releaseTasks(context, 100)
  clock.advance(1_000)
  await settled()

  const sent = (await here.sent()).map(({ attempt }) => attempt)
  const inFlight = context.hosts.view('a.example', clock.now())?.inFlight
  assert.deepEqual([sent, job.inFlight, inFlight], [[2], 1, 1])
})

test('tasks that wait because their host is busy all run when the host is free', async () => {
  await using here = await openTestContext(quick)
  const { clock, hosts, lanes } = here.context
  const answer = Promise.withResolvers<void>()
  const fetchRobots = lanes.fetchRobots
  lanes.fetchRobots = (...question) => answer.promise.then(() => fetchRobots(...question))
  const job = await here.adopt({ urls: Array.from({ length: 8 }, (_, n) => `https://a.example/${n}`) })
  await release(here)
  const others = () =>
    hosts.reserve('a.example', clock.now(), clock.now(), { ...job.hostPolicy(8), robots: 'ignore' })
  while (others().ok);
  let looks = 0
  const { sleep } = clock
  here.context.clock.sleep = (...given) => {
    looks += 1
    return sleep.apply(clock, given)
  }
  answer.resolve()
  for (let turn = 0; turn < 10; turn++) {
    await settled()
    here.clock.advance(20)
  }
  assert.equal((await here.sent()).length, 1, 'one task uses the slot that robots.txt has freed')
  assert.ok(looks <= 11, `8 tasks looked ${looks} times`)

  const now = clock.now()
  for (let slot = 0; slot < 8; slot++) hosts.finished('a.example', { startedAt: now, endedAt: now }, now)
  await settled()
  here.clock.advance(20)
  await settled()
  assert.equal((await here.sent()).length, 7)
  assert.equal(job.lines.size, 0)
})

test('while robots.txt is fetched, the host releases no further task', async () => {
  await using here = await openTestContext({ policy: { rate: 1 } })
  const answer = Promise.withResolvers<void>()
  const fetchRobots = here.context.lanes.fetchRobots
  here.context.lanes.fetchRobots = async (...question) => {
    await answer.promise
    return fetchRobots(...question)
  }
  const job = await here.adopt({ urls: [1, 2, 3].map(n => `https://a.example/${n}`) })
  for (let turn = 0; turn < 3; turn++) {
    await release(here)
    here.clock.advance(1_000)
  }
  assert.equal(job.inFlight, 1)
  answer.resolve()
  await settled()
  here.clock.advance(1_000)
  await settled()
  assert.deepEqual(await here.sent().then(tasks => tasks.length), 1)
})

test('a crawl requests the sitemaps that robots.txt names, or else the sitemap at the usual path', async () => {
  await using here = await openTestContext(quick)
  here.robots.set('https://a.example', 'Sitemap: https://a.example/maps/1.xml')
  await here.adopt({ seedUrls: ['https://a.example/', 'https://b.example/'] })
  await release(here)
  assert.deepEqual((await release(here)).sort(), ['/maps/1.xml', '/sitemap.xml'])
})

test('a second crawl of a site requests its sitemaps too, even if robots.txt is already known', async () => {
  await using here = await openTestContext(quick)
  await here.adopt({ seedUrls: ['https://a.example/'] })
  await release(here)
  await release(here)
  await here.adopt({ seedUrls: ['https://a.example/'] })
  await release(here)
  assert.deepEqual(await release(here), ['/sitemap.xml'])
  assert.equal(here.robotsAsked.length, 1)
})

test('a crawl with `robots: ignore` requests /sitemap.xml, but not robots.txt', async () => {
  await using here = await openTestContext(quick)
  await here.adopt({ seedUrls: ['https://A.example/'], policy: { robots: 'ignore' } })
  await release(here)
  assert.deepEqual(await release(here), ['/sitemap.xml'])
  assert.deepEqual(here.robotsAsked, [])
})

test('a crawl with `sitemap: skip` requests no sitemap', async () => {
  await using here = await openTestContext(quick)
  await here.adopt({ seedUrls: ['https://a.example/'], sitemap: 'skip' })
  await release(here)
  assert.deepEqual(await release(here), [])
})

test('robots.txt of a host on the do-not-crawl list is not requested', async () => {
  await using here = await openTestContext({ ...quick, denyHosts: ['a.example'] })
  await here.adopt({ urls: ['https://a.example/1'] })
  const { refused } = await releaseTasks(here.context, 10)
  assert.deepEqual(
    refused.map(({ failure }) => failure?.code),
    ['host.denied'],
  )
  assert.deepEqual(here.robotsAsked, [])
})

test('if a claim fails, its slots are returned, and the next claim uses them', async () => {
  await using here = await openTestContext(quick)
  await here.adopt({ urls: ['https://a.example/1'], policy: { robots: 'ignore' } })
  const { tasks } = here.context.store
  const broken = {
    ...here.context,
    store: {
      ...here.context.store,
      tasks: { ...tasks, claim: () => Promise.reject(new Failure('store.busy', 'busy')) },
    },
  }
  await assert.rejects(releaseTasks(broken, 10), { code: 'store.busy' })
  assert.deepEqual(await release(here), ['/1'])
})

test('only running tasks occupy a slot of the host', async () => {
  await using here = await openTestContext(quick)
  here.robots.set('https://a.example', 'User-agent: *\nDisallow: /no')
  await here.adopt({ urls: ['/yes', '/no', '/no/2', '/also'].map(path => `https://a.example${path}`) })
  await release(here)
  await release(here)
  assert.equal(here.context.hosts.view('a.example', here.clock.now())?.inFlight, 2)
})

test('claimed tasks run even if the response cache cannot be read', async () => {
  await using here = await openTestContext(quick)
  await here.adopt({ urls: ['https://a.example/1'], maxAgeMs: 1_000, policy: { robots: 'ignore' } })
  const find = () => Promise.reject(new Failure('store.busy', 'busy'))
  const { store } = here.context
  await releaseTasks({ ...here.context, store: { ...store, answers: { ...store.answers, find } } }, 10)
  assert.equal((await here.sent()).length, 1)
})
