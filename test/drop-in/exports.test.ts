// Tests exports for other programs. A third-party program reads each export.
import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { CDXIndexer, WARCParser } from 'warcio'
import { startTestSite, type TestSite } from '../site/index.ts'
import { Workplace } from '../system/run-cli.ts'

type Row = Record<string, unknown>

let site: TestSite
let place: Workplace
let records: Array<Row & { _page: Row }>
before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  const { code, stderr } = await place.run([
    ...['crawl', `${site.url}/`, '--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`],
    ...[
      '--max-pages',
      '12',
      '--job',
      'read',
      '--quiet',
      '-o',
      'out.jsonl',
      '-o',
      'out.wacz',
      '-o',
      'out.sqlite',
    ],
  ])
  assert.equal(code, 0, stderr)
  records = await place.records('out.jsonl')
  const later = ['pages.warc.gz', 'pages.cdxj', 'later.wacz', 'later.parquet']
  const exported = await place.run(['jobs', 'export', 'read', ...later.flatMap(file => ['-o', file])])
  assert.equal(exported.code, 0, exported.stderr)
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const bytesOf = (file: string): Promise<Buffer> => readFile(place.file(file))

interface Zipped {
  name: string
  offset: number
  bytes: Buffer
}

/** Finds the files through the central directory at the end of the archive, as the format requires. */
function unzipped(zip: Buffer): Map<string, Zipped> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'))
  const found = new Map<string, Zipped>()
  for (let at = zip.readUInt32LE(end + 16), left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    assert.equal(zip.readUInt32LE(at), 0x02014b50)
    assert.equal(zip.readUInt16LE(at + 10), 0, 'stored, so that ranges of it can be read')
    const [size, nameLength, more] = [
      zip.readUInt32LE(at + 24),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
    ]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    const local = zip.readUInt32LE(at + 42)
    const offset = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    found.set(name, { name, offset, bytes: zip.subarray(offset, offset + size) })
    at += 46 + nameLength + more
  }
  return found
}

const textIn = (zip: Map<string, Zipped>, name: string): string => zip.get(name)!.bytes.toString()

async function answersIn(warc: Buffer): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for await (const record of new WARCParser(Readable.from([warc]))) {
    if (record.warcType !== 'response') continue
    await record.readFully(false)
    found.set(String(record.warcTargetURI), record.httpHeaders!.statusCode as number)
  }
  return found
}

test('the WACZ export has a WARC that warcio reads, and a page for every record', async () => {
  for (const file of ['out.wacz', 'later.wacz']) {
    const zip = unzipped(await bytesOf(file))
    assert.deepEqual(
      [...zip.keys()],
      [
        ...['archive/data-00001.warc.gz', 'indexes/index.cdx', 'pages/pages.jsonl'],
        ...['datapackage.json', 'datapackage-digest.json'],
      ],
    )
    const answers = await answersIn(zip.get('archive/data-00001.warc.gz')!.bytes)
    for (const { _page } of records) assert.equal(answers.get(String(_page.final_url)), 200)
    const [head, ...pages] = textIn(zip, 'pages/pages.jsonl')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Row)
    assert.equal(head!.format, 'json-pages-1.0')
    assert.ok(
      pages.length >= 10 &&
        pages.every(({ url, ts }) => answers.has(String(url)) && !Number.isNaN(Date.parse(String(ts)))),
    )
  }
})

test('the WACZ export lists its files with size and hash', async () => {
  const { createHash } = await import('node:crypto')
  const hashOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const zip = unzipped(await bytesOf('out.wacz'))
  const { resources, profile } = JSON.parse(textIn(zip, 'datapackage.json')) as {
    profile: string
    resources: Row[]
  }
  assert.equal(profile, 'data-package')
  assert.equal(resources.length, 3)
  for (const { path, hash, bytes } of resources) {
    const found = zip.get(String(path))!.bytes
    assert.deepEqual([hashOf(found), found.length], [hash, bytes])
  }
  const digest = JSON.parse(textIn(zip, 'datapackage-digest.json')) as Row
  assert.equal(digest.hash, hashOf(zip.get('datapackage.json')!.bytes))
})

test('every line of the WACZ index points to its response, by offset and length', async () => {
  const [warc, index] = [await bytesOf('pages.warc.gz'), (await bytesOf('pages.cdxj')).toString()]
  const lines = index.trim().split('\n')
  assert.deepEqual(
    lines,
    lines.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  )
  for (const line of lines) {
    const { url, offset, length, status, filename } = JSON.parse(line.slice(line.indexOf('{'))) as Record<
      string,
      string
    >
    const answers = await answersIn(warc.subarray(Number(offset), Number(offset) + Number(length)))
    assert.deepEqual([...answers], [[url, Number(status)]])
    assert.equal(filename, 'pages.warc.gz')
  }
})

test('the WACZ index equals the index that warcio makes of the same file', async () => {
  const theirs = new CDXIndexer({ format: 'cdxj' } as never)
  const made: Row[] = []
  const files = [{ filename: 'pages.warc.gz', reader: createReadStream(place.file('pages.warc.gz')) }]
  for await (const line of theirs.iterIndex(files as never)) made.push(line as Row)
  const ours = (await bytesOf('pages.cdxj')).toString().trim().split('\n')
  const parsed = ours.map(line => {
    const [key, timestamp] = line.split(' ', 2)
    return { urlkey: key, timestamp, ...(JSON.parse(line.slice(line.indexOf('{'))) as Row) } as Row
  })
  const facts = ({ urlkey, timestamp, url, status, mime, offset, length, digest }: Row) =>
    JSON.stringify([urlkey, timestamp, url, String(status), mime, Number(offset), Number(length), digest])
  assert.deepEqual(parsed.map(facts).sort(), made.map(facts).sort())
})

test('a SQLite export has the failures, and the records as a view with a column for each field', async () => {
  const { DatabaseSync } = await import('node:sqlite')
  using database = new DatabaseSync(place.file('out.sqlite'), { readOnly: true })
  const all = (sql: string) => database.prepare(sql).all() as Row[]
  assert.deepEqual(
    all('SELECT url, _url, title FROM records ORDER BY seq').map(({ url, title }) => [url, title]),
    records.map(({ _page, title }) => [_page.url, title]),
  )
  const [pages] = all('SELECT sum(pages) AS pages FROM hosts')
  assert.equal(pages!.pages, new Set(records.map(({ _page }) => _page.url)).size)
  assert.equal(all('PRAGMA integrity_check')[0]!.integrity_check, 'ok')
})

test('DuckDB can read both the SQLite export and the Parquet export', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const rows = await connection.runAndReadAll(
    `SELECT _page_url AS url, title FROM read_parquet('${place.file('later.parquet')}')`,
  )
  assert.deepEqual(
    rows.getRowsJson(),
    records.map(({ _page, title }) => [_page.url, title]),
  )
  connection.closeSync()
})

test('kscrape query runs SQL on jobs and files, and explains errors', async () => {
  const counted = await place.run(['query', 'select count(*) as n from records', '--job', 'read', '--json'])
  assert.deepEqual(
    [counted.code, JSON.parse(counted.stdout)],
    [0, { n: String(records.length) }],
    counted.stderr,
  )
  const shown = await place.run([
    'query',
    'select status, count(*) as pages from records group by 1',
    '--file',
    'later.parquet',
  ])
  assert.match(shown.stdout, /^status {2}pages\n200 +12\n$/)
  const wrong = await place.run(['query', 'select nothing from records', '--file', 'later.parquet'])
  assert.equal(wrong.code, 2, wrong.stderr)
  assert.match(wrong.stderr, /nothing/)
  assert.match((await place.run(['query', 'select 1'])).stderr, /--job ID or --file/)
})

test('a Crawlee dataset has one numbered file per record, and is not mixed with another one', async () => {
  const write = () => place.run(['jobs', 'export', 'read', '--crawlee', '-o', 'storage'])
  for (let time = 0; time < 2; time += 1) assert.equal((await write()).code, 0)
  const files = (await readdir(place.file('storage/datasets/default')))
    .filter(name => /^\d{9}\.json$/.test(name))
    .sort()
  assert.deepEqual([files.length, files[0]], [records.length, '000000001.json'])
  const items = await Promise.all(
    files.map(async name => JSON.parse((await bytesOf(`storage/datasets/default/${name}`)).toString())),
  )
  assert.deepEqual(items, records)
})
