// Tests the export of raw pages to one WARC file.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import { WARCParser } from 'warcio'
import {
  MapBlobs,
  recordStore,
  someAttempt,
  someJob,
  somePage,
  someTask,
  taskStore,
} from '../../../test/support/results-parts.ts'
import type { Page } from '../../model/page/page.ts'
import type { Attempt, Task } from '../../model/task.ts'
import { segmentName } from '../keys.ts'
import { readPages } from '../read-page.ts'
import { SegmentWriter } from '../segment-writer.ts'
import { compress, plainWarcRecord } from '../warc.ts'
import { exportJob } from './export-job.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-raw-'))
})
after(() => rm(folder, { recursive: true }))

async function partsWith(pages: Page[], change: (n: number) => Partial<Task> = () => ({})) {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, segmentName('job-1', 'run-1'))
  const pending = pages.map(page => writer.add(page))
  await writer.flush()
  const tasks = pages.map((_, index) => someTask(index + 1, change(index + 1)))
  const attempts = new Map<number, Attempt[]>(
    pending.map(({ ref }, index) => [
      index + 1,
      [someAttempt({ raw: null }), someAttempt({ attempt: 2, raw: ref })],
    ]),
  )
  const store = { records: recordStore([]), tasks: taskStore(tasks, attempts) }
  return { store, blobs, stdout: new Writable() }
}

const pageAt = (host: string, n: number, day = 4): Page =>
  somePage({
    url: `https://${host}/${n}`,
    finalUrl: `https://${host}/${n}`,
    body: Buffer.from(`<p>${host} ${n} é`),
    endedAt: Date.UTC(2026, 2, day, 23, 59),
  })

test('the WARC of a job has the pages of its successful tasks, copied with few reads', async () => {
  const pages = Array.from({ length: 50 }, (_, n) => pageAt('a.example', n))
  const parts = await partsWith(pages, n => ({ state: n === 7 ? 'failed' : 'succeeded' }))
  const path = join(folder, 'job.warc.gz')

  const { rows } = await exportJob(parts, someJob(), { path, format: 'warc.gz' })

  const urls = []
  for await (const record of new WARCParser([await readFile(path)])) urls.push(record.warcTargetURI)
  assert.equal(rows, 49)
  assert.equal(parts.blobs.reads, 2)
  assert.equal(urls.length, 50)
  assert.ok(!urls.includes('https://a.example/6'))
})

test('a WARC export can combine older segments with gzip members and newer segments with zstd frames', async () => {
  const [older, newer] = [pageAt('a.example', 1), pageAt('a.example', 2)]
  const parts = await partsWith([older, newer])
  const member = compress(plainWarcRecord(older))
  const ref = { key: `${segmentName('job-1', 'run-0')}-000001.warc.gz`, offset: 0, length: member.length }
  await parts.blobs.put(ref.key, member)
  const [, second] = await Array.fromAsync([1, 2], async n =>
    (await parts.store.tasks.attempts('job-1', n)).at(-1),
  )
  const attempts = new Map([
    [1, [someAttempt({ raw: ref })]],
    [2, [second!]],
  ])
  const store = { records: recordStore([]), tasks: taskStore([someTask(1), someTask(2)], attempts) }
  const path = join(folder, 'both.warc.gz')

  await exportJob({ ...parts, store }, someJob(), { path, format: 'warc.gz' })

  const file = await readFile(path)
  assert.ok(file.includes(member))
  const urls = []
  for await (const record of new WARCParser([file])) urls.push(record.warcTargetURI)
  assert.deepEqual(urls.slice(1), [older.finalUrl, newer.finalUrl])
  assert.deepEqual(await Array.fromAsync(readPages(parts.blobs, [ref, second!.raw!])), [older, newer])
})

test('the WARC export of a job without raw pages fails with an error', async () => {
  const parts = await partsWith([])
  const job = someJob('job-1', { results: { raw: 'none' } })
  const path = join(folder, 'none.warc.gz')
  const refusal = { code: 'input.invalid', message: /job-1 has no raw pages/ }

  await assert.rejects(exportJob(parts, job, { path, format: 'warc.gz' }), refusal)
  assert.ok(!(await readdir(folder)).some(name => name.startsWith('none')))
})

test('a HAR has the method of every request of a scraper, and the page to which the request belongs', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, segmentName('job-1', 'run-1'))
  const exchange = (method: string, n: number, bodyDigest: string | null) => {
    const page = pageAt('a.example', n)
    return { request: { method, url: page.url, headers: [['accept', '*/*']] as const, bodyDigest }, page }
  }
  const runs = [
    writer.addRun([exchange('GET', 1, null), exchange('POST', 2, 'sha256:aa')]),
    writer.addRun([exchange('PUT', 3, 'sha256:bb')]),
  ]
  const plain = writer.add(pageAt('a.example', 4))
  await writer.flush()
  const refs = [...runs, plain].map(({ ref }) => ref)
  const attempts = new Map(refs.map((raw, index) => [index + 1, [someAttempt({ raw })]]))
  const tasks = refs.map((_, index) => someTask(index + 1))
  const store = { records: recordStore([]), tasks: taskStore(tasks, attempts) }
  const path = join(folder, 'job.har')

  await exportJob({ store, blobs, stdout: new Writable() }, someJob(), { path, format: 'har' })

  const { log } = JSON.parse(await readFile(path, 'utf8'))
  const entries = log.entries as Array<{
    pageref: string
    request: { method: string; url: string; bodySize: number }
  }>
  assert.deepEqual(
    entries.map(({ pageref, request }) => [pageref, request.method, request.url, request.bodySize]),
    [
      ['page_1', 'GET', 'https://a.example/1', 0],
      ['page_2', 'POST', 'https://a.example/2', -1],
      ['page_3', 'PUT', 'https://a.example/3', -1],
      ['page_4', 'GET', 'https://a.example/4', 0],
    ],
  )
})
