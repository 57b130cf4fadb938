// Tests every export format with a third-party reader.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { MapBlobs, recordStore, someJob, someRecord, taskStore } from '../../../test/support/results-parts.ts'
import type { Job, OutputFormat } from '../../model/job.ts'
import type { RecordData, StoredRecord } from '../../model/record.ts'
import { exportJob } from './export-job.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-exports-'))
})
after(() => rm(folder, { recursive: true }))

function partsWith(records: Parameters<typeof recordStore>[0], stdout = new Writable()) {
  return { store: { records: recordStore(records), tasks: taskStore([]) }, blobs: new MapBlobs(), stdout }
}

async function exported(
  records: StoredRecord[],
  format: OutputFormat,
  job: Job = someJob(),
): Promise<string> {
  const path = join(folder, `out.${format}`)
  await exportJob(partsWith(records), job, { path, format })
  return readFile(path, 'utf8')
}

const mixed = [
  someRecord(1, { name: 'Größe 🙂', price: 9.5, tags: ['a', 'b'], in_stock: true, note: null }),
  someRecord(2, {}, { itemId: 'row-2' }),
  someRecord(3, { name: 'line\nbreak, "quoted"', extra: { deep: [1, { x: null }] } }),
]

test('a line of JSONL is the flat record, with data about its page in _page', async () => {
  const lines = (await exported(mixed, 'jsonl')).trimEnd().split('\n')

  assert.equal(lines.length, 3)
  assert.deepEqual(JSON.parse(lines[0]!), {
    name: 'Größe 🙂',
    price: 9.5,
    tags: ['a', 'b'],
    in_stock: true,
    note: null,
    _page: {
      url: 'https://shop.example/p/1',
      final_url: 'https://shop.example/p/1',
      status: 200,
      fetched_at: '2026-03-04T05:06:07.089Z',
      task_id: 'job-1.1',
      scraper: 'page@1',
      way: 'http',
    },
  })
  assert.deepEqual(Object.keys(JSON.parse(lines[1]!)), ['_page'])
  assert.equal(JSON.parse(lines[1]!)._page.item_id, 'row-2')
})

test('JSON is one array, also without records', async () => {
  const rows = JSON.parse(await exported(mixed, 'json'))

  assert.deepEqual(
    rows.map((row: { name?: string }) => row.name),
    ['Größe 🙂', undefined, 'line\nbreak, "quoted"'],
  )
  assert.deepEqual(JSON.parse(await exported([], 'json')), [])
})

test('CSV has a column for every field that occurs in a record, and other programs can parse it', async () => {
  const rows: Array<Record<string, string>> = parse(await exported(mixed, 'csv'), { columns: true })

  assert.deepEqual(Object.keys(rows[0]!).slice(0, 7), [
    'name',
    'price',
    'tags',
    'in_stock',
    'note',
    'extra.deep',
    '_page_url',
  ])
  assert.equal(rows[0]!.tags, 'a; b')
  assert.equal(rows[0]!.in_stock, 'true')
  assert.equal(rows[2]!.name, 'line\nbreak, "quoted"')
  assert.deepEqual(JSON.parse(rows[2]!['extra.deep']!), [1, { x: null }])
})

test('columns of the rules come first, in their order, even if they are empty', async () => {
  const job = someJob('job-1', { extract: { fields: { sku: '.sku', name: 'h1' } } })
  const [header] = parse(await exported(mixed, 'csv', job)) as string[][]
  assert.deepEqual(header!.slice(0, 3), ['sku', 'name', 'price'])
})

test('a cell that a spreadsheet would run as a formula is escaped, but a number is not', async () => {
  const records = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', '\n=1', '＝1', 'x=1'].map((value, index) =>
    someRecord(index + 1, { value, number: -5 }),
  )
  const rows: Array<Record<string, string>> = parse(await exported(records, 'csv'), { columns: true })

  assert.deepEqual(
    rows.map(row => row.value),
    ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "'\n=1", "'＝1", 'x=1'],
  )
  assert.equal(rows[0]!.number, '-5')
})

test('any text that is written to CSV or TSV is read back unchanged', async () => {
  const text = fc.string({ unit: 'grapheme' }).filter(value => !/^[=+\-@\t\r]/.test(value))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1 }), async values => {
      const records = values.map((value, index) => someRecord(index + 1, { value }))
      for (const [format, delimiter] of [
        ['csv', ','],
        ['tsv', '\t'],
      ] as const) {
        const rows: Array<Record<string, string>> = parse(await exported(records, format), {
          columns: true,
          delimiter,
        })
        assert.deepEqual(
          rows.map(row => row.value),
          values,
        )
      }
    }),
    { numRuns: 30 },
  )
})

test('markdown has a section per record: title, URL, then the text or the fields', async () => {
  const records = [
    someRecord(1, { title: 'One\n two', markdown: 'Some *text*' }),
    someRecord(2, { name: 'Lamp', price: 3 }),
  ]
  assert.equal(
    await exported(records, 'md'),
    '# One two\n\n<https://shop.example/p/1>\n\nSome *text*\n\n---\n\n' +
      '# Lamp\n\n<https://shop.example/p/2>\n\n- **name**: Lamp\n- **price**: 3\n\n---\n\n',
  )
})

test('no value of a record becomes HTML in a markdown export', async () => {
  const hostile = '<img src=x onerror=alert(1)> &lt;b&gt;'
  const text = await exported(
    [
      someRecord(1, { title: hostile, markdown: `${hostile}\n\n\`<b>\`` }),
      someRecord(2, { name: 'Lamp', [hostile]: hostile, more: { deep: [hostile] } }),
    ],
    'md',
  )
  assert.doesNotMatch(text.replaceAll('`<b>`', ''), /<[^h]/)
  assert.match(text, /^# &lt;img src=x onerror=alert\(1\)> &amp;lt;b&amp;gt;$/m)
})

test('a hundred thousand records are exported without keeping them in memory', async () => {
  let held = 0
  let most = 0
  const data: RecordData = { name: 'x'.repeat(200), price: 1.5 }
  const records = recordStore({ count: 100_000, make: seq => someRecord(seq, { ...data, n: seq }) })
  const list: typeof records.list = async (jobId, options) => {
    const batch = await records.list(jobId, options)
    held = batch.reduce((sum, record) => sum + record.data.length, 0)
    most = Math.max(most, held)
    return batch
  }
  const parts = { ...partsWith([]), store: { records: { ...records, list }, tasks: taskStore([]) } }
  for (const format of ['jsonl', 'csv', 'parquet'] as const) {
    const path = join(folder, `many.${format}`)
    const { rows } = await exportJob(parts, someJob(), { path, format })
    assert.equal(rows, 100_000)
  }

  assert.ok(most < 4 * 1024 * 1024, `${most} bytes of records were held at once`)
  const lines = (await readFile(join(folder, 'many.jsonl'), 'utf8')).trimEnd().split('\n')
  assert.equal(new Set(lines).size, 100_000)
})

test('a failed export leaves the previous file unchanged and creates no partial file', async () => {
  const path = join(folder, 'kept.json')
  await writeFile(path, 'as it was')
  const parts = partsWith([someRecord(1, {}), { ...someRecord(2, {}), data: null as never }])

  await assert.rejects(exportJob(parts, someJob(), { path, format: 'json' }))

  assert.equal(await readFile(path, 'utf8'), 'as it was')
  assert.ok(!(await readdir(folder)).includes('kept.json.unfinished'))
})

test('the output path "-" means standard output', async () => {
  const chunks: Buffer[] = []
  const stdout = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk)
      done()
    },
  })
  await exportJob(partsWith(mixed, stdout), someJob(), { path: '-', format: 'jsonl' })
  assert.equal(Buffer.concat(chunks).toString().split('\n').length, 4)
})

test('if the reader of a pipe has closed it, the error names standard output', async () => {
  const stdout = new Writable({
    write: (_, __, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  })
  await assert.rejects(exportJob(partsWith(mixed, stdout), someJob(), { path: '-', format: 'jsonl' }), {
    code: 'storage.failed',
    message: 'cannot write standard output: EPIPE',
  })
})
