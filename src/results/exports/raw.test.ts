// Raw pages out again: as one WARC file, and as Parquet by domain and day.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
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
import { SegmentWriter } from '../segment-writer.ts'
import { exportJob } from './export-job.ts'
import { exportRaw } from './export-raw.ts'

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

async function rowsOf(path: string) {
  const file = await asyncBufferFromFile(join(folder, path))
  return parquetReadObjects({ file, compressors: { ZSTD: input => zstdDecompressSync(input) } })
}

test('the WARC of a job holds the pages of its successful tasks, copied in few reads', async () => {
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

test('a job that keeps no raw pages says so instead of writing an empty file', async () => {
  const parts = await partsWith([])
  const job = someJob('job-1', { results: { raw: 'none' } })
  const path = join(folder, 'none.warc.gz')
  const refusal = { code: 'input.invalid', message: /job-1 keeps no raw pages/ }

  await assert.rejects(exportJob(parts, job, { path, format: 'warc.gz' }), refusal)
  await assert.rejects(exportRaw(parts, job, join(folder, 'none')), refusal)
  assert.ok(!(await readdir(folder)).some(name => name.startsWith('none')))
})

test('raw pages are Parquet by domain and day', async () => {
  const pages = [pageAt('a.example', 1), pageAt('b.example:81', 2), pageAt('a.example', 3, 5)]
  const { rows } = await exportRaw(await partsWith(pages), someJob(), join(folder, 'tree'))

  assert.equal(rows, 3)
  const [only, ...more] = await rowsOf('tree/domain=a.example/date=2026-03-04/part-1.parquet')
  assert.deepEqual(more, [])
  assert.deepEqual(only, {
    url: 'https://a.example/1',
    final_url: 'https://a.example/1',
    status: 200,
    headers: pages[0]!.headers,
    fetched_at: new Date('2026-03-04T23:59:00Z'),
    body: '<p>a.example 1 é',
  })
  assert.equal((await rowsOf('tree/domain=b.example/date=2026-03-04/part-1.parquet')).length, 1)
  assert.equal((await rowsOf('tree/domain=a.example/date=2026-03-05/part-1.parquet')).length, 1)
})

test('with more hosts than may be open at once, still every page is there once', async () => {
  const pages = Array.from({ length: 300 }, (_, n) => pageAt(`h${n % 20}.example`, n))
  const limits = { openFiles: 3, waitingBytes: 40_000, groupBytes: 5_000, partBytes: 2_000 }
  await exportRaw(await partsWith(pages), someJob(), join(folder, 'wide'), () => {}, limits)

  const found: string[] = []
  for (const name of await readdir(join(folder, 'wide'), { recursive: true })) {
    if (name.endsWith('.parquet')) found.push(...(await rowsOf(join('wide', name))).map(row => row.url))
  }
  assert.deepEqual(found.sort(), pages.map(page => page.url).sort())
})

test('exporting again replaces the earlier export of the job, and touches nobody else’s folder', async () => {
  const tree = join(folder, 'again')
  await exportRaw(await partsWith([pageAt('old.example', 1)]), someJob(), tree)
  await exportRaw(await partsWith([pageAt('new.example', 1)]), someJob(), tree)
  const parts = (await readdir(tree, { recursive: true })).filter(name => name.endsWith('.parquet'))
  assert.deepEqual(parts, [join('domain=new.example', 'date=2026-03-04', 'part-1.parquet')])

  await assert.rejects(exportRaw(await partsWith([]), someJob('job-2'), tree), { code: 'input.invalid' })
  const other = await mkdtemp(join(folder, 'other-'))
  await writeFile(join(other, 'mine.txt'), '')
  await assert.rejects(exportRaw(await partsWith([]), someJob(), other), { code: 'input.invalid' })
})
