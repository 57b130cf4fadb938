// Tests lanes on threads: whatever happens to a thread, its tasks end, and the program ends too.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { BombSite } from '../security/bomb-site.ts'
import { TestEngine, type TestEngineOptions } from '../support/engine.ts'

const limit = { timeout: 180_000 }

/** A folder with scrapers, each given by the code of its `run`. */
async function scrapersThat(bodies: Record<string, string>): Promise<AsyncDisposable & { root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'kscrape-scrapers-'))
  await mkdir(join(root, 'scrapers'))
  for (const [id, body] of Object.entries(bodies))
    await writeFile(
      join(root, 'scrapers', `${id}.mjs`),
      `export default { id: '${id}', version: '1', name: '${id}', description: '', async run({ input, open, emit, signal }) { ${body} } }`,
    )
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

const open = (root: string, options: TestEngineOptions = {}) =>
  TestEngine.open({ lanes: 1, root, ...options })
const items = (count: number) => Array.from({ length: count }, (_, index) => ({ input: { index } }))
const retryOnce = { policy: { retries: { attempts: 1, baseMs: 1 } } }

test(
  'if a thread exits, a new one replaces it, and the task that caused this fails after its attempts',
  limit,
  async () => {
    await using scrapers = await scrapersThat({ leaver: 'process.exit(3)' })
    await using here = await open(scrapers.root)
    const { job } = await here.run({ items: items(1), scraperId: 'leaver', ...retryOnce })
    assert.equal(job.state, 'failed')
    const [task] = await here.tasks(job.id)
    assert.deepEqual([task?.reason, task?.attempt], ['page.too-costly', 2])
  },
)

test('if a thread dies of an error, its other tasks do not fail', limit, async () => {
  const body = `if (input.index === 0) setTimeout(() => { throw new Error('bang') }); await new Promise(done => setTimeout(done, 50)); emit(input)`
  await using scrapers = await scrapersThat({ bomb: body })
  await using here = await open(scrapers.root)
  const { job, counts } = await here.run({
    items: items(4),
    scraperId: 'bomb',
    concurrency: 4,
    policy: { retries: { attempts: 3, baseMs: 1, jitter: 0 } },
  })
  assert.equal(job.state, 'partially_completed')
  assert.deepEqual(counts.byReason, { ok: 3, 'page.too-costly': 1 })
  assert.equal(counts.records, 3)
})

test('if a thread hangs, it is killed after its lease, and the job continues', limit, async () => {
  await using scrapers = await scrapersThat({ hanger: 'if (input.index === 1) for (;;); emit(input)' })
  await using here = await open(scrapers.root, { settings: { leaseMs: 2_000 } })
  const { job, counts } = await here.run({
    items: items(3),
    scraperId: 'hanger',
    concurrency: 1,
    ...retryOnce,
  })
  assert.equal(job.state, 'partially_completed')
  assert.deepEqual(counts.byReason, { ok: 2, 'page.too-costly': 1 })
})

test('stopping the service does not wait for a thread that hangs', limit, async () => {
  await using scrapers = await scrapersThat({ hanger: 'emit(input); for (;;);' })
  await using here = await open(scrapers.root, { settings: { graceMs: 100 } })
  const { id } = await here.submit({ items: items(1), scraperId: 'hanger' })
  const running = here.start()
  await new Promise(resolve => setTimeout(resolve, 500))
  here.stop()
  await running
  const { job } = await here.engine.progress(id)
  assert.deepEqual([job.state, job.reason], ['paused', 'interrupted'])
})

test('if no thread can start, the run ends with the reason', limit, async () => {
  await using scrapers = await scrapersThat({ picky: '' })
  const file = join(scrapers.root, 'scrapers/picky.mjs')
  const whole = await readFile(file, 'utf8')
  await writeFile(
    file,
    `import { isMainThread } from 'node:worker_threads'\nif (!isMainThread) process.exit(7)\n${whole}`,
  )
  await using here = await open(scrapers.root)
  await here.submit({ items: items(1), scraperId: 'picky' })
  await assert.rejects(here.start(), /ended with code 7/)
  const [job] = await here.engine.data.store.jobs.list()
  assert.deepEqual([job?.state, job?.reason], ['paused', 'interrupted'])
})

test('a missing certificate file is reported before any thread starts', limit, async () => {
  await assert.rejects(TestEngine.open({ lanes: 1, settings: { caFile: '/no/such/ca.pem' } }), {
    code: 'input.invalid',
    message: /\/no\/such\/ca\.pem/,
  })
})

test(
  'a record that is too large fails only its own task, and the error names the remedy',
  limit,
  async () => {
    await using scrapers = await scrapersThat({ large: "emit({ text: 'a'.repeat(input.index * 1_000) })" })
    await using here = await open(scrapers.root)
    const policy = { maxRecordBytes: 1_024 }
    const { job, counts } = await here.run({ items: items(3), scraperId: 'large', policy })
    assert.deepEqual(counts.byReason, { ok: 2, 'record.too-large': 1 })
    const failed = (await here.tasks(job.id)).find(({ reason }) => reason === 'record.too-large')
    assert.match(failed?.message ?? '', /a record has 2011 bytes, more than 1024; .*max_record_bytes/)
  },
)

test(
  'a page that would exhaust the memory of a lane is refused before a scraper gets the page',
  limit,
  async () => {
    await using site = await BombSite.open()
    await using scrapers = await scrapersThat({
      parser: 'emit({ is: typeof (await open(input.url)).json() })',
    })
    await using here = await open(scrapers.root, {
      settings: { allowPrivate: [site.place, site.place.replace('127.0.0.1', 'localhost')] },
    })
    const input = { url: site.urlOf('json of empty objects') }
    const { job } = await here.run({ items: [{ input }], scraperId: 'parser' })
    const [task] = await here.tasks(job.id)
    assert.deepEqual([task?.reason, task?.attempt], ['page.too-costly', 1], task?.message ?? '')
    assert.match(task?.message ?? '', /a process with 112 MB crashed on it|takes longer than \d+ ms/)
  },
)

/** Uses this many ms of CPU time of its thread for each item. */
const spinning = (ms: number) =>
  `const from = process.threadCpuUsage().user; while (process.threadCpuUsage().user - from < ${ms * 1_000}); const { threadId } = await import('node:worker_threads'); emit({ thread: threadId })`

/** How many different threads made the records of a job. */
async function threadsOf({ engine }: TestEngine, jobId: string): Promise<number> {
  const records = await engine.data.store.records.list(jobId, { after: 0, limit: 1_000 })
  return new Set(records.map(({ data }) => data)).size
}

test('a second lane starts for heavy work and gets tasks of the first', {
  ...limit,
  skip: availableParallelism() < 2 && 'one core',
}, async () => {
  await using scrapers = await scrapersThat({ heavy: spinning(10) })
  await using here = await open(scrapers.root, { lanes: 'auto' })
  const { job, counts } = await here.run({ items: items(400), scraperId: 'heavy' })
  assert.deepEqual(counts.byReason, { ok: 400 })
  assert.equal(await threadsOf(here, job.id), 2)
})

test('light work has one lane', limit, async () => {
  await using scrapers = await scrapersThat({ light: spinning(0) })
  await using here = await open(scrapers.root, { lanes: 'auto' })
  const { job, counts } = await here.run({ items: items(50), scraperId: 'light' })
  assert.deepEqual(counts.byReason, { ok: 50 })
  assert.equal(await threadsOf(here, job.id), 1)
})
