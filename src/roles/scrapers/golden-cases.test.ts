// Tests the golden cases beside scrapers: how they are found, and their expected results.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import {
  expectationOf,
  findAllGoldenCases,
  findGoldenCases,
  madePage,
  writeExpectation,
} from './golden-cases.ts'

let scrapers: string
before(async () => {
  scrapers = await mkdtemp(join(tmpdir(), 'kscrape-golden-'))
})
after(() => rm(scrapers, { recursive: true }))

async function put(path: string, text: string): Promise<string> {
  const file = join(scrapers, 'golden', path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return dirname(file)
}

test('every folder is a golden case, sorted by name; a scraper without folders has no cases', async () => {
  await put('shop/b/page.html', '<h1>b</h1>')
  await put('shop/a/page.json', '{}')
  assert.deepEqual(
    findGoldenCases(scrapers, 'shop').map(({ name }) => name),
    ['shop/a', 'shop/b'],
  )
  assert.deepEqual(findGoldenCases(scrapers, 'other'), [])
})

test('the first request gets the golden page, with the content type of its file', async () => {
  await put('page/one/page.html', '<h1>one</h1>')
  const [one] = findGoldenCases(scrapers, 'page')
  assert.equal(one!.start.url, 'https://golden.example/page/one')
  const page = await one!.open()({ url: 'https://a.example/' } as never, new AbortController().signal)
  assert.deepEqual([page.body.toString(), page.finalUrl], ['<h1>one</h1>', 'https://a.example/'])
  assert.deepEqual(page.headers, [['content-type', 'text/html; charset=utf-8']])
})

test('a golden case with an input file starts with this input; without a page every request fails', async () => {
  await put('row/one/input.json', '{ "id": 7 }')
  const [one] = findGoldenCases(scrapers, 'row')
  assert.deepEqual(one!.start, { input: { id: 7 } })
  const asked = one!.open()({ url: 'https://a.example/' } as never, new AbortController().signal)
  await assert.rejects(asked, { code: 'replay.unrecorded' })
})

test('a golden case that has neither page nor input, or whose input is not an object, is refused by name', async () => {
  const list = await put('bad/list/input.json', '[]')
  assert.throws(() => findGoldenCases(scrapers, 'bad'), { code: 'input.invalid', message: /input\.json/ })
  await rm(list, { recursive: true })
  await put('bad/empty/notes.txt', '')
  assert.throws(() => findGoldenCases(scrapers, 'bad'), { code: 'input.invalid', message: /bad\/empty/ })
})

test('a built-in scraper has the shipped golden cases, and they are marked as shipped', async () => {
  const shipped = findAllGoldenCases(scrapers, 'article')
  for (const { isShipped } of shipped) assert.equal(isShipped, true)
  await put('article/own/page.html', '')
  assert.deepEqual(findAllGoldenCases(scrapers, 'article').at(-1)?.isShipped, false)
})

test('the expected result is an object for one record, a list for several records, and a code for a failure', async () => {
  const folder = await put('written/one/page.html', '')
  const outcome = { records: [{ a: 1 }], provenance: [], warnings: [], failure: null }
  assert.equal(expectationOf(folder), null)
  writeExpectation(folder, outcome)
  assert.equal(await readFile(join(folder, 'record.json'), 'utf8'), '{\n  "a": 1\n}\n')
  assert.deepEqual(expectationOf(folder), { records: [{ a: 1 }] })
  writeExpectation(folder, { ...outcome, records: [{ a: 1 }, { a: 2 }] })
  assert.deepEqual(expectationOf(folder), { records: [{ a: 1 }, { a: 2 }] })
  writeExpectation(folder, { ...outcome, failure: new Failure('extract.site-changed', 'gone') })
  assert.deepEqual(expectationOf(folder), { failure: 'extract.site-changed' })
})

test('a damaged expectation is refused, and the error names its path', async () => {
  const folder = await put('damaged/one/record.json', '{')
  assert.throws(() => expectationOf(folder), { code: 'input.invalid', message: /record\.json/ })
})

test('a page made for a test has a fixed time and lower-case headers', () => {
  const page = madePage('https://a.example/', Buffer.from('x'), { 'Content-Type': 'text/plain' }, 404)
  assert.deepEqual(page.headers, [['content-type', 'text/plain']])
  assert.deepEqual([page.status, page.wireBytes, page.endedAt], [404, 1, Date.UTC(2026, 0, 1)])
})
