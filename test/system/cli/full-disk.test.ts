// Tests that a disk that is full for a while only delays a job, whichever write fails first.
import assert from 'node:assert/strict'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { Failure } from '../../../src/model/failures.ts'
import { hasEnded } from '../../../src/model/job.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestEngine, type TestEngineOptions } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

const limit = { timeout: 120_000 }
const openFor = (site: TestSite, options: TestEngineOptions = {}) =>
  TestEngine.open({ ...options, settings: { allowPrivate: [`${site.host}:${site.port}`] } })
const crawlOf = (site: TestSite) => ({
  seedUrls: [`${site.url}/`],
  maxPages: 10,
  policy: { host: { rate: 'unlimited' as const } },
})
const full = () => Promise.reject(new Failure('storage.full', 'the disk is full'))

/** Makes the first `times` calls of a method fail. */
function failFirst<Face extends object>(face: Face, method: keyof Face, times: number): void {
  const real = (face[method] as (...args: unknown[]) => Promise<unknown>).bind(face)
  let left = times
  Object.assign(face, { [method]: (...args: unknown[]) => (left-- > 0 ? full() : real(...args)) })
}

function assertWhole({ job, counts }: Awaited<ReturnType<TestEngine['run']>>): void {
  assert.equal(job.state, 'completed')
  assert.deepEqual([counts.pages, counts.records], [10, 10])
  const { pending, in_progress, failed } = counts.byState
  assert.deepEqual([pending, in_progress, failed], [0, 0, 0])
}

test('if a full disk prevents the commit of a group of tasks, the crawl loses nothing', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  failFirst(here.engine.data.store, 'commit', 3)
  assertWhole(await here.run(crawlOf(site)))
  assert.equal(
    here.notices().filter(notice => notice.includes('the disk is full')).length,
    1,
    'the notice is printed once',
  )
})

test('if a full disk prevents the claim of tasks, the crawl loses nothing', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  failFirst(here.engine.data.store.tasks, 'claim', 3)
  assertWhole(await here.run(crawlOf(site)))
})

test(
  'if an output file cannot be written, the crawl continues, and the file gets all records later',
  limit,
  async () => {
    await using site = await startTestSite()
    await using here = await openFor(site)
    const folder = join(here.folder, 'out')
    const path = join(folder, 'pages.jsonl')
    await mkdir(folder)
    failFirst(here.engine.data.store.outputs, 'save', 2)
    assertWhole(await here.run({ ...crawlOf(site), output: [{ path, format: 'jsonl' }] }))
    const urls = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)._page.url)
    assert.equal(new Set(urls).size, 10)
    assert.equal(urls.length, 10)
    await rm(folder, { recursive: true })
  },
)

test('if the disk is full when a crawl ends, the crawl loses nothing', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  const { id } = await here.submit(crawlOf(site))
  failFirst(here.engine.data.store.jobs, 'move', 2)
  await here.start()
  assertWhole(await here.engine.progress(id))
})

test(
  'if the reader closes the pipe, the crawl ends, finished work is stored, and the job can be resumed',
  limit,
  async () => {
    await using site = await startTestSite()
    const closed = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    await using here = await openFor(site, { stdout: closed })
    const { id } = await here.submit({ ...crawlOf(site), output: [{ path: '-', format: 'jsonl' }] })
    await assert.rejects(here.start(), /standard output/)
    const { job } = await here.engine.progress(id)
    assert.equal(hasEnded(job.state), false, job.state)
    await eventually(
      'no lease is left',
      async () => (await here.engine.progress(id)).counts.byState.in_progress === 0,
    )
  },
)
