// Tests Parquet files with two readers: hyparquet, and the independent Rust implementation.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { readParquet, writeParquet } from 'parquet-wasm'
import { MapBlobs, recordStore, someJob, someRecord, taskStore } from '../../../test/support/results-parts.ts'
import type { RecordData, StoredRecord } from '../../model/record.ts'
import { pageColumns } from '../../model/table-shape.ts'
import { exportJob } from './export-job.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-parquet-'))
})
after(() => rm(folder, { recursive: true }))

async function written(records: Parameters<typeof recordStore>[0], spec: Record<string, unknown> = {}) {
  const path = join(folder, 'out.parquet')
  const parts = { store: { records: recordStore(records), tasks: taskStore([]) }, blobs: new MapBlobs() }
  await exportJob({ ...parts, stdout: new Writable() }, someJob('job-1', spec), { path, format: 'parquet' })
  const file = await asyncBufferFromFile(path)
  const rows = await parquetReadObjects({ file, compressors: { ZSTD: input => zstdDecompressSync(input) } })
  return { rows, metadata: await parquetMetadataAsync(file) }
}

const of = (...rows: RecordData[]): StoredRecord[] => rows.map((data, index) => someRecord(index + 1, data))

test('each kind of value is read back as written; nulls and missing values are null', async () => {
  const { rows } = await written(
    of(
      { text: 'Größe 🙂 日本', count: 3, price: 1.25, ok: true, tags: ['a'], deep: { x: [{ y: 1 }] } },
      { text: null, count: 2 ** 40, price: 2, ok: false, tags: [], deep: null },
      { text: '', extra: 'later' },
    ),
  )
  // hyparquet returns undefined for a list that is null.
  const fields = rows.map(({ _page_url, _page_status, _page_fetched_at, tags = null, ...rest }) => ({
    ...rest,
    tags,
  }))

  assert.deepEqual(fields, [
    {
      text: 'Größe 🙂 日本',
      count: 3n,
      price: 1.25,
      ok: true,
      tags: ['a'],
      'deep.x': [{ y: 1 }],
      extra: null,
    },
    { text: null, count: 2n ** 40n, price: 2, ok: false, tags: [], 'deep.x': null, extra: null },
    { text: '', count: null, price: null, ok: null, tags: null, 'deep.x': null, extra: 'later' },
  ])
})

test('Parquet stores days and times as dates, and lists as lists', async () => {
  const { rows } = await written(
    of(
      { day: '2024-02-29', at: '2024-05-01T10:00:00+02:00', sizes: [38, 39.5], no: '2024-02-30' },
      { day: null, at: null, sizes: null, no: 'x' },
    ),
  )
  assert.deepEqual(
    [rows[0]!.day, rows[0]!.at, rows[0]!.sizes, rows[0]!.no],
    [new Date('2024-02-29'), new Date('2024-05-01T08:00:00Z'), [38, 39.5], '2024-02-30'],
  )
})

test('the Rust implementation of Parquet reads the same values', async () => {
  const { rows } = await written(
    of(
      { text: 'Größe 🙂 日本', count: 3, price: 1.25, ok: true },
      { text: null, count: 2 ** 40, price: 2, ok: false },
    ),
  )
  // The Rust implementation decodes the file and writes it again, which shows the values that it read.
  const path = join(folder, 'anew.parquet')
  await writeFile(path, writeParquet(readParquet(await readFile(join(folder, 'out.parquet')))))
  const file = await asyncBufferFromFile(path)
  const anew = await parquetReadObjects({ file, compressors: { ZSTD: input => zstdDecompressSync(input) } })
  assert.deepEqual(anew, rows)
})

test('a column with several types is text, as in CSV', async () => {
  const { rows } = await written(of({ v: 1 }, { v: '1' }, { v: null }, { v: false }))
  assert.deepEqual(
    rows.map(row => row.v),
    ['1', '1', null, 'false'],
  )
})

test('columns that describe the page have proper types', async () => {
  const warnings = [{ code: 'content.empty', message: 'the page has no main content' }]
  const way = JSON.stringify({
    way: 'browser',
    why: '#app is empty',
    artifacts: ['screenshot.png'],
    warnings,
  })
  const records = [someRecord(1, { a: 1 }, { itemId: 'row-1', way }), someRecord(2, { a: 2 })]
  const { rows } = await written(records, { results: { pageColumns } })
  const { a: _, ...page } = rows[0]!
  assert.deepEqual(page, {
    _page_url: 'https://shop.example/p/1',
    _page_status: 200n,
    _page_fetched_at: new Date('2026-03-04T05:06:07.089Z'),
    _page_final_url: 'https://shop.example/p/1',
    _page_task_id: 'job-1.1',
    _page_scraper: 'page@1',
    _page_item_id: 'row-1',
    _page_way: 'browser',
    _page_why: '#app is empty',
    _page_artifacts: ['screenshot.png'],
    _page_warnings: warnings,
  })
  assert.deepEqual([rows[1]!._page_item_id, rows[1]!._page_way, rows[1]!._page_why], [null, 'http', null])
})

test('a large job is written in several row groups, with every row once', async () => {
  const filler = 'x'.repeat(1_000)
  const { rows, metadata } = await written({ count: 20_000, make: seq => someRecord(seq, { seq, filler }) })

  assert.ok(metadata.row_groups.length > 3)
  assert.deepEqual(
    rows.map(row => Number(row.seq)),
    Array.from({ length: 20_000 }, (_, index) => index + 1),
  )
})

test('a job without records gives a Parquet file without rows', async () => {
  const { rows, metadata } = await written([])
  assert.deepEqual(rows, [])
  assert.equal(metadata.num_rows, 0n)
})
