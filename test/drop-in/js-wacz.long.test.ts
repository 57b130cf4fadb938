// Tests that js-wacz, unmodified, makes a WACZ from our WARC file. It finds every record, and its index equals ours.
import assert from 'node:assert/strict'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { checkWacz } from '../../src/results/archives/check-wacz.ts'
import { ZipReader } from '../../src/results/archives/zip-reader.ts'
import { ArchiveSite } from '../support/archive-site.ts'
import { Workplace } from '../system/run-cli.ts'

const program = join(import.meta.dirname, 'js-wacz/node_modules/@harvard-lil/js-wacz/index.js')
const { WACZ } = (await import(program)) as {
  WACZ: new (options: Record<string, unknown>) => { process(): Promise<void> }
}

let site: ArchiveSite
let place: Workplace
before(async () => {
  site = await ArchiveSite.open()
  place = await Workplace.open()
  await writeFile(
    place.file('urls.txt'),
    ['post-json', 'redirect', 'images'].map(kind => `${site.url}/${kind}`).join('\n'),
  )
  const { code, stderr } = await place.run([
    ...['run', 'urls.txt', '--render', 'always', '--archive', '--rate', 'unlimited', '--quiet'],
    ...['--allow-private', site.places[0]!, '-o', 'out.jsonl', '-o', 'pages.warc.gz', '-o', 'ours.wacz'],
  ])
  assert.equal(code, 0, stderr)
  const options = { input: place.file('pages.warc.gz'), output: place.file('theirs.wacz'), detectPages: true }
  await new WACZ(options).process()
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

type Line = Record<string, unknown>

/** The index entry of each record, without the file name, written in the same way for both tools. */
async function indexOf(file: string): Promise<Map<string, Line>> {
  await using handle = await open(place.file(file))
  const zip = await ZipReader.open(handle)
  const entry = zip.entries.get('indexes/index.cdx') ?? zip.entries.get('indexes/index.cdx.gz')!
  const bytes = await zip.read(entry)
  const text = (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  return new Map(
    text
      .trim()
      .split('\n')
      .filter(line => !line.startsWith('!meta'))
      .map(line => {
        const { url, offset, status, method, requestBody } = JSON.parse(line.slice(line.indexOf('{'))) as Line
        const key = line.slice(0, line.indexOf(' '))
        return [
          String(offset),
          { key, url, status: status === undefined ? null : Number(status), method, requestBody },
        ]
      }),
  )
}

test('js-wacz indexes the same records at the same offsets, including POSTs with their bodies', async () => {
  const [ours, theirs] = [await indexOf('ours.wacz'), await indexOf('theirs.wacz')]
  const records = (index: Map<string, Line>) =>
    [...index].filter(([, { url }]) => /^https?:/.test(String(url))).sort(([a], [b]) => Number(a) - Number(b))
  assert.ok(records(ours).some(([, { method }]) => method === 'POST'))
  assert.deepEqual(records(ours), records(theirs))
})

test('the archive that js-wacz makes of our WARC file has no damaged record', async () => {
  await using handle = await open(place.file('theirs.wacz'))
  const { problems, records, pages } = await checkWacz(handle)
  assert.deepEqual(
    problems.filter(({ where }) => where.startsWith('archive/') && !where.includes('no index')),
    [],
  )
  assert.ok(records > 10 && pages >= 3, `${records} records, ${pages} pages`)
})
