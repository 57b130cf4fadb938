// Tests limits of a job: it stops at a limit, loses nothing, and continues after a raise. A job whose tasks mostly end at walls
// stops too.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { SettingsInput } from '../../src/config/settings.ts'
import type { JobSpecInput } from '../../src/model/job.ts'
import { raiseLimits } from '../../src/pipeline/submit/raise-limits.ts'
import { TestEngine } from '../support/engine.ts'

const pageBytes = 1_000

/** `/wall/…` requires a login, `/held/…` never answers, and all other paths return a page of `pageBytes`. */
async function openSite() {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url.startsWith('/wall/')) response.writeHead(401, { 'www-authenticate': 'Basic' }).end('log in')
    else if (!url.startsWith('/held/'))
      response.writeHead(200, { 'content-type': 'text/html' }).end(page(url))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    asked,
    place: `127.0.0.1:${port}`,
    urls: (path: string, count: number) =>
      Array.from({ length: count }, (_, index) => `http://127.0.0.1:${port}/${path}/${index}`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const page = (url: string): string => `<title>${url}</title>`.padEnd(pageBytes, '.')

const open = (site: { place: string }, settings: SettingsInput = {}, folder?: string) =>
  TestEngine.open({ settings: { allowPrivate: [site.place], obeyRobots: false, ...settings } }, folder)

/** Resumes a job, and returns its state when it stops again. */
async function goneOn(engine: TestEngine, jobId: string) {
  await engine.engine.resume(jobId)
  await engine.start()
  return engine.engine.progress(jobId)
}

const fast = { host: { rate: 'unlimited' as const } }

test('a job that reaches its page limit stops with limit.pages, loses nothing, and finishes after the limit is raised', async () => {
  await using site = await openSite()
  await using first = await open(site)
  const spec: JobSpecInput = {
    jobId: 'p',
    urls: site.urls('p', 30),
    policy: { ...fast, limits: { pages: 10 } },
  }

  const { job, counts } = await first.run(spec)

  assert.deepEqual([job.state, job.reason], ['paused', 'limit.pages'])
  assert.deepEqual([counts.pages, counts.byState.pending, site.asked.length], [10, 20, 10])
  assert.match(first.notices().join('\n'), /kscrape jobs raise p/)
  await assert.rejects(first.engine.resume('p'), /limit\.pages.*jobs raise p/)

  await raiseLimits(first.engine.data.store, 'p', { pages: 1_000 }, {})
  await first.close()
  await using second = await open(site, {}, first.folder)
  const after = await goneOn(second, 'p')
  assert.deepEqual([after.job.state, after.counts.pages], ['completed', 30])
  assert.equal(new Set(site.asked).size, 30, 'every page was requested once')
})

test('byte and cost limits stop a job soon after it reaches them, however many requests are in flight', async () => {
  await using site = await openSite()
  await using engine = await open(site)
  await using other = await open(site, { pricePerGb: 1_000 })
  const urls = site.urls('b', 60)
  const bytes = await engine.run({ urls, policy: { ...fast, limits: { bytes: 20_000 } } })
  const money = await other.run({ urls, policy: { ...fast, limits: { money: 0.02 } } })

  assert.deepEqual([bytes.job.reason, money.job.reason], ['limit.bytes', 'limit.money'])
  for (const { counts } of [bytes, money]) {
    assert.ok(counts.bytes >= 20_000 && counts.bytes <= 20_000 + 3 * pageBytes, String(counts.bytes))
    assert.ok(counts.byState.pending > 30)
  }
})

test('bytes, cost and pages from before a restart still count against the limits of the job', async () => {
  await using site = await openSite()
  const first = await open(site)
  const policy = { ...fast, limits: { pages: 5 } }
  await first.run({ jobId: 'r', urls: site.urls('r', 20), policy })
  await first.close()

  await using second = await open(site, {}, first.folder)
  await raiseLimits(second.engine.data.store, 'r', { pages: 8 }, {})

  const { job, counts } = await goneOn(second, 'r')
  assert.deepEqual([job.reason, counts.pages], ['limit.pages', 8])
})

test('a limit that is removed no longer applies, and a limit below what the job has already spent is refused', async () => {
  await using site = await openSite()
  const first = await open(site)
  await first.run({ jobId: 'l', urls: site.urls('l', 12), policy: { ...fast, limits: { pages: 4 } } })
  const { store } = first.engine.data

  await assert.rejects(raiseLimits(store, 'l', { pages: 4 }, {}), /would stop again at once \(limit\.pages\)/)
  await assert.rejects(
    raiseLimits(store, 'l', { pages: 50 }, { ceilings: { limits: { pages: 20 } } }),
    /policy\.limits\.pages: 50 exceeds .* ceiling of 20/,
  )
  await raiseLimits(store, 'l', { pages: null }, {})
  await first.close()
  await using second = await open(site, {}, first.folder)
  assert.equal((await goneOn(second, 'l')).job.state, 'completed')
})

test('if most of the latest tasks of a job ended at walls, it pauses, and continues when a user resumes it', async () => {
  await using site = await openSite()
  const first = await open(site)
  const urls = [...site.urls('p', 5), ...site.urls('wall', 100)]
  const policy = { host: { rate: 500, concurrency: 4 }, blocks: { wasteGuard: { window: 20 } } }

  const { job, counts } = await first.run({ jobId: 'w', urls, policy })

  assert.deepEqual([job.state, job.reason], ['paused', 'waste.blocked'])
  assert.ok(counts.byState.pending > 50, 'walls were requested once')
  assert.match(first.notices().join('\n'), /of its last 20 tasks ended at walls.*kscrape jobs resume w/)
  await first.close()

  await using second = await open(site, {}, first.folder)
  const again = await goneOn(second, 'w')
  assert.equal(again.job.reason, 'waste.blocked')
  assert.ok(again.counts.byState.pending < counts.byState.pending)
})

test('a ceiling lowers defaults and refuses higher values of a job, but does not apply to an admin key', async () => {
  await using site = await openSite()
  const ceilings = { limits: { pages: 3 }, retries: { attempts: 1 } }
  await using engine = await open(site, { ceilings })
  const urls = site.urls('c', 9)

  const { job, counts } = await engine.run({ urls, policy: fast })
  assert.deepEqual([job.reason, counts.pages], ['limit.pages', 3])
  assert.equal(job.spec.policyFrom?.['limits.pages'], 'ceiling')

  const greedy: JobSpecInput = { urls, policy: { ...fast, limits: { pages: 9 } } }
  await assert.rejects(engine.submit(greedy), /policy\.limits\.pages: 9 exceeds .* of 3 \(SCRAPER_CEILINGS/)
  await using other = await open(site, { ceilings })
  const allowed = await other.run(greedy, { mayExceed: true })
  assert.equal(allowed.job.state, 'completed')
  assert.equal(allowed.job.spec.policy.retries.attempts, 1, 'the other ceilings still hold')
})

test('a cost limit is refused if nothing has a price', async () => {
  await using site = await openSite()
  await using engine = await open(site)
  const spec: JobSpecInput = { urls: site.urls('x', 1), policy: { limits: { money: 1 } } }
  await assert.rejects(engine.submit(spec), /policy\.limits\.money: nothing has a price/)
})

test('a row with its own policy uses this policy, and the next row uses the policy of the job', async () => {
  await using site = await openSite()
  await using engine = await open(site)
  const [one] = site.urls('held', 1)
  const [two] = site.urls('p', 1)
  const hasty = { timeouts: { totalMs: 50 }, retries: { attempts: 0 } }
  const items = [
    { itemId: 'hasty', input: { url: one }, policy: hasty },
    { itemId: 'usual', input: { url: two } },
  ]

  const { job } = await engine.run({ items, policy: fast })

  const [first, second] = await engine.tasks(job.id)
  assert.deepEqual([first?.state, first?.attempt], ['failed', 1])
  assert.equal(second?.state, 'succeeded')
})
