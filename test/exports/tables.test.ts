// Tests tables for spreadsheets: CSV, XLSX and Parquet have the same columns and the same values.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { readRows } from '../../src/jobs/read-rows.ts'
import { fileSource } from '../../src/jobs/row-source.ts'
import type { OutputFormat } from '../../src/model/job.ts'
import type { RecordData, StoredRecord } from '../../src/model/record.ts'
import type { TableShape } from '../../src/model/table-shape.ts'
import { exportJob } from '../../src/results/exports/export-job.ts'
import { MapBlobs, recordStore, someJob, someRecord, taskStore } from '../support/results-parts.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-table-'))
})
after(() => rm(folder, { recursive: true }))

type Rows = Array<Record<string, unknown>>

async function exported(
  records: StoredRecord[],
  format: OutputFormat,
  shape: Partial<TableShape> = {},
  spec: Record<string, unknown> = {},
): Promise<string> {
  const path = join(folder, `out.${format}`)
  const store = { records: recordStore(records), tasks: taskStore([]) }
  const parts = { store, blobs: new MapBlobs(), stdout: new Writable() }
  await exportJob(parts, someJob('job-1', spec), { path, format }, { pageColumns: [], ...shape })
  return path
}

async function csvRows(
  ...args: [StoredRecord[], Partial<TableShape>?, Record<string, unknown>?]
): Promise<Rows> {
  const [records, shape, spec] = args
  return parse(await readFile(await exported(records, 'csv', shape, spec)), { columns: true })
}

async function xlsxRows(records: StoredRecord[], shape: Partial<TableShape> = {}): Promise<Rows> {
  const rows: Rows = []
  for await (const batch of readRows(fileSource(await exported(records, 'xlsx', shape))))
    for (const row of batch) if (row.is === 'object') rows.push(row.value)
  return rows
}

const of = (...rows: RecordData[]): StoredRecord[] => rows.map((data, index) => someRecord(index + 1, data))

test('money becomes a column for the amount and one for the currency, even if the first record has no price', async () => {
  const rows = await csvRows(
    of(
      { name: 'Lamp', price: null, note: 'sold out' },
      { name: 'Rug', price: { amount: 89.5, currency: 'EUR' }, note: null },
    ),
  )
  assert.deepEqual(Object.keys(rows[0]!), ['name', 'price', 'price_currency', 'note'])
  assert.deepEqual(
    rows.map(row => [row.price, row.price_currency]),
    [
      ['', ''],
      ['89.5', 'EUR'],
    ],
  )
})

test('a money field of rules has a column for the amount and one for the currency, even if all its values are null', async () => {
  const spec = { extract: { fields: { name: 'h1', price: { css: '.price', as: 'money' } } } }
  const rows = await csvRows(of({ name: 'Lamp', price: null }), {}, spec)
  assert.deepEqual(Object.keys(rows[0]!), ['name', 'price', 'price_currency'])
})

test('objects become columns with dotted names, and lists are joined', async () => {
  const rows = await csvRows(
    of(
      { seller: { name: 'Ann' }, tags: ['a', 'b'], ids: [1, 2] },
      { seller: { name: 'Bob', address: { city: 'Ulm' } }, tags: [], ids: null },
    ),
  )
  assert.deepEqual(rows, [
    { 'seller.name': 'Ann', 'seller.address.city': '', tags: 'a; b', ids: '1; 2' },
    { 'seller.name': 'Bob', 'seller.address.city': 'Ulm', tags: '', ids: '' },
  ])
})

test('two columns of a table never have the same name', async () => {
  const data: RecordData = {
    price: { amount: 1, currency: 'EUR' },
    price_currency: 'own',
    'a.b': 1,
    a: { b: 2 },
  }
  const rows = await csvRows(of(data))
  assert.deepEqual(Object.values(rows[0]!), ['1', 'EUR', 'own', '1', '2'])
})

test('--explode writes a row for each element of a list, and no record is lost', async () => {
  const records = of(
    {
      name: 'Lamp',
      offers: [
        { size: 'S', price: { amount: 1, currency: 'EUR' } },
        { size: 'M', price: null },
      ],
    },
    { name: 'Rug', offers: [] },
    { name: 'Pot' },
  )
  const rows = await csvRows(records, { explode: 'offers' })
  assert.deepEqual(
    rows.map(row => [row.name, row['offers.size'], row['offers.price'], row['offers.price_currency']]),
    [
      ['Lamp', 'S', '1', 'EUR'],
      ['Lamp', 'M', '', ''],
      ['Rug', '', '', ''],
      ['Pot', '', '', ''],
    ],
  )
  assert.equal((await csvRows(of({ a: { b: [1, 2] } }), { explode: 'a.b' })).length, 2)
  await assert.rejects(
    csvRows(records, { explode: 'offer' }),
    /no record has the field "offer"; did you mean "offers"/,
  )
})

test('an object with hundreds of keys becomes a single column', async () => {
  const prices = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`sku-${index}`, index]))
  const rows = await csvRows([
    someRecord(1, { name: 'x', prices: { 'sku-0': 5 } }),
    someRecord(2, { name: 'y', prices }),
  ])
  assert.deepEqual(Object.keys(rows[0]!), ['name', 'prices'])
  assert.deepEqual(
    rows.map(row => JSON.parse(row.prices as string)),
    [{ 'sku-0': 5 }, prices],
  )
})

test('exported records include the input row as _input or as flat columns, or leave it out', async () => {
  const input = JSON.stringify({ sku: '0012', name: 'as listed', url: 'https://shop.example/p/1' })
  const records = [someRecord(1, { name: 'Lamp' }, { input })]

  assert.deepEqual(await csvRows(records), [
    {
      name: 'Lamp',
      '_input.sku': '0012',
      '_input.name': 'as listed',
      '_input.url': 'https://shop.example/p/1',
    },
  ])
  const flat = { sku: '0012', input_name: 'as listed', url: 'https://shop.example/p/1', name: 'Lamp' }
  assert.deepEqual(await csvRows(records, { input: 'flat' }), [flat])
  assert.deepEqual(await csvRows(records, { input: 'none' }), [{ name: 'Lamp' }])

  const lines = async (shape: Partial<TableShape>) => {
    const { _page, ...record } = JSON.parse(await readFile(await exported(records, 'jsonl', shape), 'utf8'))
    return record
  }
  assert.deepEqual(await lines({}), { name: 'Lamp', _input: JSON.parse(input) })
  assert.deepEqual(await lines({ input: 'flat' }), flat)
  assert.deepEqual(await lines({ input: 'none' }), { name: 'Lamp' })
})

const varied = of(
  {
    name: 'Größe 🙂 <b> & "q"',
    price: { amount: 12.5, currency: 'EUR' },
    stock: 3,
    ok: true,
    day: '2024-02-29',
    at: '2024-05-01T10:00:00Z',
    tags: ['x', 'y'],
    offers: [{ a: 1 }],
    mixed: 1,
    ean: '0400638133393',
  },
  {
    name: '=1+1',
    price: null,
    stock: null,
    ok: false,
    day: null,
    at: null,
    tags: null,
    mixed: 'one',
    ean: null,
  },
)

test('CSV, XLSX and Parquet have the same columns and the same values', async () => {
  const csv = await csvRows(varied, { pageColumns: ['url', 'status'] })
  const xlsx = await xlsxRows(varied, { pageColumns: ['url', 'status'] })
  const path = await exported(varied, 'parquet', { pageColumns: ['url', 'status'] })
  const file = await asyncBufferFromFile(path)
  const parquet = await parquetReadObjects({
    file,
    compressors: { ZSTD: input => zstdDecompressSync(input) },
  })
  assert.deepEqual(Object.keys(xlsx[0]!), Object.keys(csv[0]!))
  assert.deepEqual(Object.keys(parquet[0]!), Object.keys(csv[0]!))
  assert.equal(csv[1]!.name, "'=1+1")
  assert.equal(xlsx[1]!.name, '=1+1')
  const asText = (rows: Rows) => rows.map(row => Object.values(row).slice(1).map(plain))
  assert.deepEqual(asText(xlsx), asText(csv))
  assert.deepEqual(asText(parquet), asText(csv))
  const types = (await parquetMetadataAsync(file)).schema.slice(1).map(({ type }) => type)
  assert.ok(types.includes('DOUBLE') && types.includes('INT64') && types.includes('BOOLEAN'))
})

/** Converts values that the formats write differently to one notation. */
function plain(value: unknown): string {
  // hyparquet reads a list that is null as undefined.
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00.000Z$|\.000Z$/, '')
  if (Array.isArray(value)) return typeof value[0] === 'object' ? JSON.stringify(value) : value.join('; ')
  return String(value)
    .replace(/Z$/, '')
    .replace(/^TRUE$|^FALSE$/, word => word.toLowerCase())
}

test('any text is read back unchanged from XLSX', async () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter(value => value.isWellFormed())
  const values = fc
    .sample(text, { numRuns: 300, seed: 3 })
    .concat(['_x000D_', 'a\r\nb', ' x ', '\u0000', '\ufffe'])
  const rows = await xlsxRows(values.map((value, index) => someRecord(index + 1, { n: index, value })))
  assert.deepEqual(
    rows.map(row => row.value),
    values,
  )
})

test('a text above the limit of Excel is truncated, and a number of 16 digits stays exact', async () => {
  const rows = await xlsxRows(of({ text: 'x'.repeat(40_000), id: 9_007_199_254_740_991 }))
  assert.equal((rows[0]!.text as string).length, 32_767)
  assert.ok((rows[0]!.text as string).endsWith('…'))
  assert.equal(rows[0]!.id, '9007199254740991')
})

test('a file that is not a workbook is refused', async () => {
  const path = join(folder, 'broken.xlsx')
  await writeFile(path, 'PK\u0003\u0004 and nothing else')
  await assert.rejects(Array.fromAsync(readRows(fileSource(path))), /broken\.xlsx is a damaged Excel file/)
  await writeFile(path, Buffer.from('d0cf11e0a1b11ae1', 'hex'))
  await assert.rejects(Array.fromAsync(readRows(fileSource(path))), /save it as \.xlsx or \.csv/)
})
