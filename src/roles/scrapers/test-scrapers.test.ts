// Tests how scrapers are run over golden pages: equal, different and updated results.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import { defineScraper, type Scraper } from '../../scraper/define-scraper.ts'
import type { Catalogue } from './catalogue.ts'
import { expectationOf, findGoldenCases } from './golden-cases.ts'
import { testCase, testScrapers } from './test-scrapers.ts'

let folder: string
let golden: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-cases-'))
  golden = join(folder, 'golden/shop/lamp')
  await mkdir(golden, { recursive: true })
  await writeFile(join(golden, 'page.html'), '<h1>Lamp</h1>')
})
afterEach(() => rm(folder, { recursive: true }))

const scraper = defineScraper({
  id: 'shop',
  rules: { fields: { name: { css: 'h1', required: true } } },
}) as unknown as Scraper
const tested = (update = false) => testCase({ scraper }, findGoldenCases(folder, 'shop')[0]!, update)
const expect = (name: string, value: unknown) => writeFile(join(golden, name), JSON.stringify(value))

test('a record that differs from the expected one is reported with the path of the field', async () => {
  await expect('record.json', { name: 'Lamp' })
  assert.equal((await tested()).verdict, 'same')
  await expect('record.json', { name: 'Desk' })
  const { verdict, differences } = await tested()
  assert.deepEqual([verdict, differences.map(({ path }) => path)], ['differs', ['name']])
})

test('without an expected result the verdict is unknown, and --update writes the result', async () => {
  assert.equal((await tested()).verdict, 'unknown')
  assert.equal((await tested(true)).verdict, 'updated')
  assert.deepEqual(JSON.parse(await readFile(join(golden, 'record.json'), 'utf8')), { name: 'Lamp' })
  assert.equal((await tested(true)).verdict, 'same')
})

test('--update writes a failure only if a failure was expected', async () => {
  const failing = defineScraper({
    id: 'shop',
    run: () => {
      throw new Failure('extract.site-changed', 'no price')
    },
  }) as unknown as Scraper
  const one = findGoldenCases(folder, 'shop')[0]!
  const failed = await testCase({ scraper: failing }, one, true)
  assert.equal(failed.verdict, 'failed')
  assert.match(failed.note, /no price/)
  assert.equal(expectationOf(golden), null)
  await expect('failure.json', { code: 'extract.wrong-page-kind' })
  assert.equal((await testCase({ scraper: failing }, one)).verdict, 'differs')
  assert.equal((await testCase({ scraper: failing }, one, true)).verdict, 'updated')
  assert.deepEqual(expectationOf(golden), { failure: 'extract.site-changed' })
})

test('if a page that should fail gives records, this is reported as a difference', async () => {
  await expect('failure.json', { code: 'extract.site-changed' })
  const { verdict, note } = await tested()
  assert.equal(verdict, 'differs')
  assert.match(note, /extract\.site-changed/)
})

test('a golden folder without a scraper is an error, unless scrapers are named', async () => {
  await mkdir(join(folder, 'golden/misspelt'))
  await expect('record.json', { name: 'Lamp' })
  const entry = { scraper, file: null }
  const catalogue = {
    ...{ folder, entries: [entry], get: () => entry },
    goldenCases: () => findGoldenCases(folder, 'shop'),
  } as unknown as Catalogue
  const namesOf = async (ids?: string[]) =>
    (await Array.fromAsync(testScrapers(catalogue, ids ? { ids } : {}))).map(
      ({ name, verdict }) => `${name} ${verdict}`,
    )
  assert.deepEqual(await namesOf(), ['shop/lamp same', 'misspelt failed'])
  assert.deepEqual(await namesOf(['shop']), ['shop/lamp same'])
})

test('golden cases that ship with kscrape run only on request, and are never updated', async () => {
  const shipped = { ...findGoldenCases(folder, 'shop')[0]!, isShipped: true }
  assert.equal((await testCase({ scraper }, shipped, true)).verdict, 'unknown')
  const entry = { scraper, file: null }
  const catalogue = {
    folder,
    entries: [entry],
    get: () => entry,
    goldenCases: () => [shipped],
  } as unknown as Catalogue
  assert.deepEqual(await Array.fromAsync(testScrapers(catalogue, {})), [])
  assert.equal((await Array.fromAsync(testScrapers(catalogue, { builtin: true }))).length, 1)
  assert.equal((await Array.fromAsync(testScrapers(catalogue, { ids: ['shop'] }))).length, 1)
})
