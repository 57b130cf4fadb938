// Tests that every job ends: if it is cancelled during ingestion, has waiting retries, or reads a broken or empty file.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestEngine, type TestEngineOptions } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'

const limit = { timeout: 120_000 }

const openFor = (site: TestSite, options: TestEngineOptions = {}): Promise<TestEngine> =>
  TestEngine.open({
    ...options,
    settings: { allowPrivate: [`${site.host}:${site.port}`], ...options.settings },
  })

const quick = { policy: { host: { rate: 'unlimited' } } } as const

async function cancel(here: TestEngine, jobId: string): Promise<void> {
  await here.engine.data.store.requests.leave({ jobId, kind: 'cancel', at: Date.now() })
}

/** Asserts that every accepted task has one outcome. */
async function assertSettled(here: TestEngine, jobId: string): Promise<void> {
  const open = (await here.tasks(jobId)).filter(({ state }) =>
    ['pending', 'queued', 'in_progress'].includes(state),
  )
  assert.deepEqual(open, [])
}

test('a job that is cancelled during ingestion ends', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  const source = join(here.folder, 'urls.txt')
  const urls = Array.from({ length: 60_000 }, (_, index) => `${site.url}/page/${index}`)
  await writeFile(source, urls.join('\n'))
  const { id } = await here.submit({ ...quick }, { source })
  await cancel(here, id)
  await here.start()
  assert.equal((await here.engine.progress(id)).job.state, 'cancelled')
  await assertSettled(here, id)
})

test('a job that is cancelled while a task is about to be retried ends', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  using held = site.hold('/slow')
  site.fail('/slow', 100, 500)
  const { id } = await here.submit({ urls: [`${site.url}/slow`], ...quick })
  const running = here.start()
  await held.arrived()
  await cancel(here, id)
  await running
  assert.equal((await here.engine.progress(id)).job.state, 'cancelled')
  await assertSettled(here, id)
})

test('a request in flight is aborted when the job is cancelled', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  site.serve('/start', '<a href="/one">1</a><a href="/two">2</a>')
  using held = site.hold('/start')
  const { id } = await here.submit({ seedUrls: [`${site.url}/start`], sitemap: 'skip', ...quick })
  const running = here.start()
  await held.arrived()
  await cancel(here, id)
  await running
  const [task] = await here.tasks(id)
  assert.deepEqual(
    [task?.state, task?.reason, task?.message],
    ['cancelled', 'job.cancelled', 'the job was cancelled'],
  )
  assert.equal((await here.engine.progress(id)).job.state, 'cancelled')
  await assertSettled(here, id)
  assert.equal(site.requestsTo('/one').length, 0)
})

test(
  'if a process is killed while it cancels a job, the next process completes the cancellation',
  limit,
  async () => {
    await using site = await startTestSite()
    await using first = await openFor(site)
    const { id } = await first.submit({ urls: [`${site.url}/slow`], ...quick })
    // Creates the state that remains if the process is killed between a cancel request and the end of the job.
    const { jobs } = first.engine.data.store
    await jobs.move(id, ['pending', 'running'], 'running')
    await jobs.move(id, ['running'], 'finishing', { reason: 'cancelled', at: Date.now() })
    await first.close()

    const next = await TestEngine.open(
      { settings: { allowPrivate: [`${site.host}:${site.port}`] } },
      first.folder,
    )
    const before = site.requestsTo('/slow').length
    await next.engine.resume(id)
    await next.start()
    const { job } = await next.engine.progress(id)
    await next.close()
    assert.equal(job.state, 'cancelled')
    assert.equal(site.requestsTo('/slow').length, before)
  },
)

for (const { name, bytes } of [
  { name: 'broken.txt.gz', bytes: gzipSync('https://a.example/\n'.repeat(1_000)).subarray(0, 40) },
  { name: 'broken.csv.gz', bytes: gzipSync('url\nhttps://a.example/\n'.repeat(1_000)).subarray(0, 40) },
  { name: 'broken.json', bytes: '[{"url": ' },
  { name: 'quote.csv', bytes: 'url,name\nnot a url,"never closed\n' },
]) {
  test(`if the source ${name} cannot be read, the job fails with the reason`, limit, async () => {
    await using site = await startTestSite()
    await using here = await openFor(site)
    const source = join(here.folder, name)
    await writeFile(source, bytes)
    const { job } = await here.run({ ...quick }, { source })
    assert.equal(job.state, 'failed')
    assert.match(job.reason ?? '', new RegExp(name))
    assert.ok(here.notices().some(notice => notice.includes(name)))
  })
}

test('if a file ends in the middle of a row, the complete rows before it still run', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  const source = join(here.folder, 'half.csv')
  const rows = Array.from({ length: 6_000 }, () => `${site.url}/about,x`)
  await writeFile(source, `url,name\n${rows.join('\n')}\n${site.url}/jobs,"never closed\n`)
  const { job, counts } = await here.run({ ...quick }, { source })
  assert.equal(job.state, 'partially_completed')
  assert.equal(counts.byState.succeeded, 1)
})

test('a retry continues to read a file that was repaired, and no row runs twice', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  const source = join(here.folder, 'mended.csv')
  await writeFile(source, `url\n${site.url}/about\n"never closed\n`)
  const { job } = await here.run({ ...quick }, { source })
  assert.equal(job.state, 'partially_completed')
  await writeFile(source, `url\n${site.url}/about\n${site.url}/jobs\n`)
  await here.close()
  const next = await TestEngine.open(
    { settings: { allowPrivate: [`${site.host}:${site.port}`] } },
    here.folder,
  )
  await next.engine.retry(job.id)
  await next.start()
  const { job: ended, counts } = await next.engine.progress(job.id)
  await next.close()
  assert.deepEqual([ended.state, ended.reason, counts.records], ['completed', null, 2])
  assert.equal(site.requestsTo('/about').length, 1)
})

test(
  'a file with only bad rows fails the job at once with a reason, and every row is listed',
  limit,
  async () => {
    await using site = await startTestSite()
    await using here = await openFor(site)
    const source = join(here.folder, 'bad.txt')
    await writeFile(source, 'one\ntwo\n\nfile:///etc/passwd\n')
    const { job, counts } = await here.run({ ...quick }, { source })
    assert.equal(job.state, 'failed')
    assert.match(job.reason ?? '', /3 of 4 rows were rejected; row 1: no http or https URL/)
    assert.equal(counts.tasks, 0)
    assert.deepEqual([job.ingest.rejected, job.ingest.blank], [3, 1])
  },
)

test('a job that reaches its limit while tasks are in flight ends without exceeding it', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site, { settings: { concurrency: 8 } })
  const { job, counts } = await here.run({ seedUrls: [`${site.url}/`], maxPages: 7, ...quick })
  assert.equal(job.state, 'completed')
  assert.equal(counts.pages, 7)
  await assertSettled(here, job.id)
})

test('a map ends with its URLs listed, even if one of its pages failed for a while', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  site.serve('/start', '<a href="/one">1</a><a href="/two">2</a>')
  site.fail('/start', 1, 500)
  const { job, counts } = await here.run(
    {
      seedUrls: [`${site.url}/start`],
      sitemap: 'skip',
      policy: { host: { rate: 'unlimited' }, retries: { baseMs: 1 } },
    },
    { map: true },
  )
  assert.equal(job.state, 'completed')
  assert.equal(counts.byReason['scope.listed'], 2)
})

test('if a host does not exist, all its tasks fail at once', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  const urls = Array.from({ length: 20 }, (_, index) => `http://no-such-host.invalid/${index}`)
  const { job, counts } = await here.run({ urls })
  assert.equal(job.state, 'failed')
  assert.deepEqual(counts.byReason, { 'dns.not-found': 20 })
})

test('a job that a user paused stays paused, even when the breaker would resume it', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  const paths = Array.from({ length: 30 }, (_, index) => `/ill/${index}`)
  for (const path of paths) site.serve(path, { status: 500, body: '' })
  const { id } = await here.submit({
    urls: paths.map(path => site.url + path),
    policy: {
      host: { rate: 'unlimited', concurrency: 1 },
      retries: { attempts: 0 },
      breaker: { consecutive: 2, cooldownMs: 150 },
    },
  })
  const running = here.start()
  const { store } = here.engine.data
  await eventually('the breaker', async () => (await store.jobs.get(id))?.reason === 'breaker')
  await store.requests.leave({ jobId: id, kind: 'pause', at: Date.now() })
  await eventually('the pause', async () => (await store.jobs.get(id))?.reason === 'user')
  assert.equal((await store.jobs.get(id))?.resumeAt, null, 'only a user resumes the job')
  here.stop()
  await running
})

const deadLinks: Array<[what: string, start: string, page: string, state: string]> = [
  ['only discovered links are missing', '/start', '<a href="/one">1</a><a href="/gone">2</a>', 'completed'],
  ['a link fails otherwise', '/start', '<a href="/gone">1</a><a href="/broken">2</a>', 'partially_completed'],
  ['the start is missing', '/gone', '', 'failed'],
]
for (const [what, start, page, state] of deadLinks)
  test(`a crawl ends ${state} if ${what}`, limit, async () => {
    await using site = await startTestSite()
    await using here = await openFor(site)
    site.serve('/start', page)
    site.serve('/one', '<h1>One</h1>')
    site.serve('/gone', { status: 410, body: 'gone' })
    site.serve('/broken', { status: 400, body: 'no' })
    const { id } = await here.submit({ seedUrls: [`${site.url}${start}`], sitemap: 'skip', ...quick })
    await here.start()
    const { job, counts } = await here.engine.progress(id)
    assert.equal(job.state, state)
    assert.ok((counts.byReason['http.not-found'] ?? 0) > 0, 'the missing page is counted')
  })

test('a list with a missing page ends as partially completed', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  site.serve('/one', '<h1>One</h1>')
  site.serve('/gone', { status: 410, body: 'gone' })
  const { id } = await here.submit({ urls: [`${site.url}/one`, `${site.url}/gone`], ...quick })
  await here.start()
  assert.equal((await here.engine.progress(id)).job.state, 'partially_completed')
})
