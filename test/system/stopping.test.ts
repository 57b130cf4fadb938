// Tests that a stop does not count as a failure: a waiting task returns to pending unchanged, and the attempt is not counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestEngine, type TestEngineOptions } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'

const limit = { timeout: 120_000 }

const openFor = (site: TestSite, options: TestEngineOptions = {}): Promise<TestEngine> =>
  TestEngine.open({
    ...options,
    settings: { graceMs: 50, allowPrivate: [`${site.host}:${site.port}`], ...options.settings },
  })

const quick = { policy: { host: { rate: 'unlimited' } } } as const

async function stopAndLook(here: TestEngine, jobId: string, running: Promise<void>) {
  here.stop()
  await running
  const [task] = await here.tasks(jobId)
  return { state: task?.state, charged: task?.charged }
}

const untouched = { state: 'pending', charged: 0 }

test(
  'if the process stops, a task that waits for robots.txt returns to pending, and the site does not count as unreachable',
  limit,
  async () => {
    await using site = await startTestSite()
    await using here = await openFor(site)
    using held = site.hold('/robots.txt')
    const { id } = await here.submit({ urls: [`${site.url}/about`], ...quick })
    const running = here.start()
    await held.arrived()
    assert.deepEqual(await stopAndLook(here, id, running), untouched)
    assert.equal(await here.engine.data.store.hosts.robots(site.url), null)
    const host = await here.engine.data.store.hosts.get(`${site.host}:${site.port}`)
    assert.equal(host?.pauseReason ?? null, null)
  },
)

test(
  'if the process stops, a task that waits for a permit to follow a redirect returns to pending',
  limit,
  async () => {
    await using site = await startTestSite()
    await using here = await openFor(site)
    site.serve('/from', { status: 302, headers: { location: '/to' }, body: '' })
    const { id } = await here.submit({
      urls: [`${site.url}/from`],
      policy: { robots: 'ignore', host: { rate: 0.1 } },
    })
    const running = here.start()
    await eventually('the redirect', () => site.requestsTo('/from').length === 1)
    assert.deepEqual(await stopAndLook(here, id, running), untouched)
  },
)

test('if the process stops, a task whose page does not arrive returns to pending', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  using held = site.hold('/about')
  const { id } = await here.submit({ urls: [`${site.url}/about`], ...quick })
  const running = here.start()
  await held.arrived()
  assert.deepEqual(await stopAndLook(here, id, running), untouched)
})

test(
  'if the process stops, a task whose scraper waits for its own promise returns to pending',
  limit,
  async () => {
    await using site = await startTestSite()
    const started = Promise.withResolvers<void>()
    const patient = defineScraper({
      id: 'patient',
      async run({ signal }) {
        started.resolve()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('over'))))
      },
    })
    await using here = await openFor(site, { scrapers: [patient] })
    const { id } = await here.submit({ items: [{ input: { a: 1 } }], scraperId: 'patient' })
    const running = here.start()
    await started.promise
    assert.deepEqual(await stopAndLook(here, id, running), untouched)
  },
)
