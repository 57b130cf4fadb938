// Tests every output format of a real crawl. Third-party tools read each file.
import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { WARCParser } from 'warcio'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

type Row = Record<string, unknown>

/** hyparquet itself has no decompressors. */
const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) }

const rules = `
fields:
  name: h1
  price: { css: .price, as: money }
  sku: { jsonld: Product.sku }
  tags: { css: .tag, many: true }
`
const files = ['out.jsonl', 'out.json', 'out.csv', 'out.tsv', 'out.parquet', 'out.md', 'out.warc.gz']

let site: TestSite
let place: Workplace
let records: Array<Row & { _page: Row }>

before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  await writeFile(place.file('rules.yaml'), rules)
  const { code, stderr } = await place.run([
    ...[
      'crawl',
      `${site.url}/`,
      '--include',
      '**/products/*',
      '--include',
      '**/categories*',
      '--include',
      `${site.url}/`,
    ],
    ...[
      '--rate',
      'unlimited',
      '--allow-private',
      `${site.host}:${site.port}`,
      '--max-pages',
      '30',
      '--job',
      'all',
      '--quiet',
    ],
    ...['--extract', 'rules.yaml', ...files.flatMap(file => ['-o', `made/here/${file}`])],
  ])
  assert.equal(code, 0, stderr)
  records = await place.records('made/here/out.jsonl')
})

after(async () => {
  await place[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const read = (file: string) => readFile(place.file(`made/here/${file}`), 'utf8')
const skus = (rows: Row[]) => rows.map(row => row.sku || null)

async function parquet(path: string): Promise<Row[]> {
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
}

test('a crawl writes all formats at once and creates missing folders', () => {
  assert.equal(records.length, 30)
  assert.ok(records.filter(record => record.sku).length > 10)
})

test('the JSON export has the same records as the JSONL export', async () => {
  assert.deepEqual(JSON.parse(await read('out.json')), records)
})

for (const [file, delimiter] of [
  ['out.csv', ','],
  ['out.tsv', '\t'],
] as const) {
  test(`${file} has a column for each field, and three columns about the page`, async () => {
    const rows: Row[] = parse(await read(file), { columns: true, delimiter })
    assert.deepEqual(skus(rows), skus(records))
    assert.equal(
      Object.keys(rows[0]!).join(),
      'name,price,price_currency,sku,tags,_page_url,_page_status,_page_fetched_at',
    )
    assert.equal(
      rows.find(row => row.sku)!.tags,
      (records.find(record => record.sku)!.tags as string[]).join('; '),
    )
  })
}

test('the message of an export with --explode has the number of records for CSV, and the number of rows for Parquet', async () => {
  const { stdout } = await place.run(['jobs', 'list', '--json'])
  const { job_id: jobId } = JSON.parse(stdout.split('\n')[0]!) as { job_id: string }
  const run = async (file: string) =>
    (await place.run(['jobs', 'export', jobId, '--explode', 'tags', '-o', file])).stderr
  const rows = records.reduce((sum, { tags }) => sum + Math.max(1, (tags as string[] | null)?.length ?? 0), 0)
  assert.ok(rows > records.length)
  assert.match(await run('tags.csv'), /wrote tags\.csv \(30 records\)/)
  assert.match(await run('tags.parquet'), new RegExp(`wrote tags\\.parquet \\(${rows} rows\\)`))
})

test('the Parquet export has the same records', async () => {
  const rows = await parquet(place.file('made/here/out.parquet'))
  assert.deepEqual(skus(rows), skus(records))
  assert.deepEqual(
    rows.map(row => row._page_url),
    records.map(record => record._page.url),
  )
})

test('markdown has a section for each record', async () => {
  assert.equal((await read('out.md')).match(/^---$/gm)?.length, records.length)
})

test('the WARC export has the complete page of each record', async () => {
  const pages = new Map<string, number>()
  for await (const record of new WARCParser(createReadStream(place.file('made/here/out.warc.gz')))) {
    if (record.warcType !== 'response') continue
    await record.readFully(false)
    pages.set(String(record.warcTargetURI), record.httpHeaders!.statusCode as number)
  }
  for (const { _page } of records)
    assert.equal(pages.get(String(_page.final_url)), 200, String(_page.final_url))
})

test('a later export writes the same files as the crawl did', async () => {
  const later = [
    'later.json',
    'later.csv',
    'later.parquet',
    'later.md',
    'later.tsv',
    'later.jsonl',
    'later.warc.gz',
  ]
  const { code, stderr } = await place.run(['jobs', 'export', 'all', ...later.flatMap(file => ['-o', file])])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /wrote later\.csv \(30 records\)/)
  assert.deepEqual(JSON.parse(await readFile(place.file('later.json'), 'utf8')), records)
  assert.deepEqual(skus(await parquet(place.file('later.parquet'))), skus(records))
  assert.equal(await readFile(place.file('later.csv'), 'utf8'), await read('out.csv'))
  const { stdout } = await place.run(['jobs', 'export', 'all'])
  assert.equal(stdout, await read('out.jsonl'), 'without -o it goes to stdout as JSONL')
})

test('raw pages are exported as Parquet by domain and date', async () => {
  const { code, stderr } = await place.run(['jobs', 'export', 'all', '--raw', '-o', 'raw'])
  assert.equal(code, 0, stderr)
  const files = (await readdir(place.file('raw'), { recursive: true })).filter(name =>
    name.endsWith('.parquet'),
  )
  assert.ok(
    files.length > 0 && files.every(name => /^domain=127\.0\.0\.1\/date=\d{4}-\d\d-\d\d\//.test(name)),
    files.join(' '),
  )
  const pages = (await Promise.all(files.map(name => parquet(place.file(`raw/${name}`))))).flat()
  assert.deepEqual(Object.keys(pages[0]!).sort(), [
    'body',
    'fetched_at',
    'final_url',
    'headers',
    'status',
    'url',
  ])
  const urls = new Set(pages.map(page => page.url))
  for (const { _page } of records) assert.ok(urls.has(_page.url), String(_page.url))
})
