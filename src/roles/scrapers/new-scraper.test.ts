// Tests the files that are created for a new scraper.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { newScraper } from './new-scraper.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kscrape-new-scraper-'))
})
afterEach(() => rm(root, { recursive: true }))

test('a new scraper gets all its files with its name in them, and the scraper file is listed first', async () => {
  const files = await newScraper(root, 'parcel-tax')
  assert.equal(relative(root, files[0]!), 'scrapers/parcel-tax.ts')
  assert.equal(relative(root, files.at(-1)!), 'scrapers/README.md')
  for (const file of files) assert.doesNotMatch(await readFile(file, 'utf8'), /\{\{id\}\}/, file)
  assert.match(await readFile(files[0]!, 'utf8'), /parcel-tax/)
})

test('the README of a folder is written once', async () => {
  await newScraper(root, 'one')
  await writeFile(join(root, 'scrapers/README.md'), 'mine')
  const files = await newScraper(root, 'two')
  assert.ok(!files.some(file => file.endsWith('README.md')))
  assert.equal(await readFile(join(root, 'scrapers/README.md'), 'utf8'), 'mine')
})

test('names in use, built-in names and invalid names are refused, and nothing is written', async () => {
  await newScraper(root, 'one')
  await assert.rejects(newScraper(root, 'one'), { code: 'input.invalid', message: /one\.ts/ })
  await assert.rejects(newScraper(root, 'page'), { code: 'input.invalid', message: /"page"/ })
  for (const id of ['', '../up', '-x', '.hidden', 'a b'])
    await assert.rejects(newScraper(root, id), { code: 'input.invalid' }, id)
})
