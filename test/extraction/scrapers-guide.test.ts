// The scraper that docs/scrapers.md shows: it runs as it stands there.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Failure } from '../../src/model/failures.ts'
import type { Scraper } from '../../src/scraper/define-scraper.ts'
import { runScraper } from '../../src/testing.ts'

const root = join(import.meta.dirname, '../..')

/** The first code block of the guide, its imports led to this checkout. */
async function guideScraper(): Promise<Scraper> {
  const guide = await readFile(join(root, 'docs/scrapers.md'), 'utf8')
  const code = /```ts\n([\s\S]*?)```/
    .exec(guide)![1]!
    .replace("'kscrape'", `'${pathToFileURL(join(root, 'src/index.ts'))}'`)
    .replace("'zod'", `'${import.meta.resolve('zod')}'`)
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-guide-'))
  await writeFile(join(folder, 'scraper.ts'), code)
  const { default: scraper } = await import(pathToFileURL(join(folder, 'scraper.ts')).href)
  await rm(folder, { recursive: true })
  return scraper
}

const search =
  '<form id="search" action="/statement"><input type="hidden" name="s" value="1"><input name="parcel"></form>'
const statementUrl = 'https://tax.example/statement?s=1&parcel=123-45'
const pages = (statement: string) => ({ 'https://tax.example/search': search, [statementUrl]: statement })

test('the scraper of the guide looks a parcel up and reads its statement', async () => {
  const statement = '<h1>Tax statement</h1><b class="parcel">123-45</b><i class="due">$1,204.50</i>'
  const records = await runScraper(await guideScraper(), {
    input: { parcel: '123-45' },
    pages: pages(statement),
  })
  assert.deepEqual(records, [{ parcel: '123-45', owner: null, due: 1204.5 }])
})

test('the scraper of the guide refuses bad rows, changed pages and error pages', async () => {
  const scraper = await guideScraper()
  const run = (parcel: string, statement: string) =>
    runScraper(scraper, { input: { parcel }, pages: pages(statement) })
  const failsAs = (code: string) => (error: Failure) => error.code === code
  await assert.rejects(run('12345', ''), failsAs('input.invalid'))
  await assert.rejects(run('123-45', '<h1>Welcome</h1>'), failsAs('extract.site-changed'))
  const refused = '<h1>Tax statement</h1><b class="parcel">123-45</b><p class="error">Try later</p>'
  await assert.rejects(run('123-45', refused), failsAs('extract.site-changed'))
})
