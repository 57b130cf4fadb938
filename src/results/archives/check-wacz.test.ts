// Tests the check of a WACZ file: a valid file has no problems, and every kind of damage is reported with its position.
import assert from 'node:assert/strict'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import {
  MapBlobs,
  recordStore,
  someAttempt,
  someJob,
  somePage,
  someTask,
  taskStore,
} from '../../../test/support/results-parts.ts'
import { exportJob } from '../exports/export-job.ts'
import { openWhole } from '../exports/sink.ts'
import { ZipFile } from '../exports/zip.ts'
import { segmentName } from '../keys.ts'
import { SegmentWriter } from '../segment-writer.ts'
import { checkWacz, type WaczCheck } from './check-wacz.ts'
import { ZipReader } from './zip-reader.ts'

let folder: string
let good: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-wacz-'))
  good = join(folder, 'good.wacz')
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, segmentName('job-1', 'run-1'))
  const refs = [1, 2, 3].map(n => {
    const url = `https://shop.example/p/${n}`
    return writer.add(somePage({ url, finalUrl: url, body: Buffer.from(`<title>Page ${n}</title>`) }))
  })
  await writer.flush()
  const tasks = refs.map((_, index) => someTask(index + 1, { state: 'succeeded' }))
  const attempts = new Map(refs.map(({ ref }, index) => [index + 1, [someAttempt({ raw: ref })]]))
  const store = { records: recordStore([]), tasks: taskStore(tasks, attempts) }
  const describePage = () => ({ title: 'A page', text: 'Its text.' })
  await exportJob({ store, blobs, stdout: new Writable(), describePage }, someJob(), {
    path: good,
    format: 'wacz',
  })
})
after(() => rm(folder, { recursive: true }))

async function checked(path: string): Promise<WaczCheck> {
  await using file = await open(path)
  return await checkWacz(file)
}

/** Applies `change` to one file of the valid archive and returns the problems that the check finds. If `change` returns
 *  null, the file is left out. */
async function changed(name: string, change: (bytes: Buffer) => Buffer | null): Promise<string[]> {
  const path = join(folder, 'changed.wacz')
  await using file = await open(good)
  const zip = await ZipReader.open(file)
  {
    await using sink = await openWhole(path)
    const written = new ZipFile(sink)
    for (const entry of zip.entries.values()) {
      const bytes = entry.name === name ? change(await zip.read(entry)) : await zip.read(entry)
      if (bytes === null) continue
      await written.begin(entry.name)
      await written.write(bytes)
      await written.end()
    }
    await written.finish()
    await sink.finish()
  }
  return (await checked(path)).problems.map(({ where, what }) => `${where}: ${what}`)
}

const replaced = (from: string | RegExp, to: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')

test('the check finds no problem in an exported archive', async () => {
  assert.deepEqual(await checked(good), { problems: [], files: 1, records: 4, indexed: 3, pages: 3 })
})

test('a changed byte of a record is detected by the hash of the file and by the digest of the record', async () => {
  const problems = await changed('archive/data-00001.warc.gz', bytes => {
    const other = Buffer.from(bytes)
    other[other.length - 30]! ^= 0xff
    return other
  })
  assert.match(problems[0]!, /^datapackage\.json archive\/data-00001\.warc\.gz: its hash is sha256:/)
  assert.ok(problems.length > 1)
})

test('offsets, URLs and order in the index are compared with the records', async () => {
  const index = 'indexes/index.cdx'
  assert.match(
    (await changed(index, replaced(/"offset":"\d+"/, '"offset":"7"'))).join('\n'),
    /line 1: no record begins at 7/,
  )
  assert.match(
    (await changed(index, replaced('/p/1"', '/p/9"'))).join('\n'),
    /line 1: url is .*\/p\/9, but the record has/,
  )
  assert.match(
    (await changed(index, replaced('"200"', '"404"'))).join('\n'),
    /status is 404, but the record has 200/,
  )
  const unsorted = await changed(index, bytes =>
    Buffer.from(bytes.toString().trim().split('\n').reverse().join('\n')),
  )
  assert.match(unsorted.join('\n'), /line 2: the lines are not sorted/)
  const missing = await changed(index, bytes => bytes.subarray(bytes.indexOf('\n') + 1))
  assert.match(missing.join('\n'), /no index has https:\/\/shop\.example\/p\/1/)
})

test('the check of an archive reports a page list without a valid header, with a wrong date or with an unknown URL', async () => {
  const pages = 'pages/pages.jsonl'
  assert.match(
    (await changed(pages, replaced('json-pages-1.0', 'other'))).join('\n'),
    /line 1: the header needs format/,
  )
  assert.match((await changed(pages, replaced('/p/2', '/none'))).join('\n'), /line 3: no record has .*\/none/)
  assert.match(
    (await changed(pages, replaced(/"ts":"[^"]+"/, '"ts":"today"'))).join('\n'),
    /ts "today" is not/,
  )
  assert.match((await changed(pages, () => null)).join('\n'), /pages\/pages\.jsonl: the file is missing/)
})

test('the check of an archive names files that are missing or not listed', async () => {
  const digest = await changed('datapackage-digest.json', replaced(/sha256:../, 'sha256:zz'))
  assert.match(digest.join('\n'), /datapackage-digest\.json: the hash of datapackage\.json is/)
  assert.match(
    (await changed('datapackage.json', () => null)).join('\n'),
    /datapackage\.json: the file is missing/,
  )
  const unlisted = await changed(
    'datapackage.json',
    replaced('"path": "pages/pages.jsonl"', '"path": "pages/x"'),
  )
  assert.match(unlisted.join('\n'), /resources lacks pages\/pages\.jsonl/)
})

test('a file that is not an archive is refused', async () => {
  const path = join(folder, 'text.wacz')
  await writeFile(path, 'not a zip')
  await assert.rejects(checked(path), { code: 'input.invalid', message: /not a complete ZIP file/ })
  await writeFile(path, (await readFile(good)).subarray(0, 900))
  await assert.rejects(checked(path), { code: 'input.invalid' })
})
