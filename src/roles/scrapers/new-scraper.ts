// Writes a scraper to start from: code, a golden page, the record that must come of it, and a test.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../model/failures.ts'
import { idPattern } from '../../model/ids.ts'
import { Registry } from '../../scraper/registry.ts'

/** Returns the files that were written, the scraper first. */
export async function newScraper(root: string, id: string): Promise<string[]> {
  if (!idPattern.test(id) || !/^[A-Za-z0-9]/.test(id))
    throw new Failure(
      'input.invalid',
      `"${id}" can't name a scraper: letters, digits, ".", "_" and "-" can`,
      { id },
    )
  if (new Registry().list().some(scraper => scraper.id === id))
    throw new Failure('input.invalid', `"${id}" is the name of a built-in scraper; take another`, { id })
  const files = Object.entries(templates(id)).map(([path, text]) => ({
    path: join(root, 'scrapers', path),
    text,
  }))
  const taken = files.find(({ path }) => existsSync(path))
  if (taken)
    throw new Failure('input.invalid', `${taken.path} is there already; nothing was written`, {
      path: taken.path,
    })
  for (const { path, text } of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
  }
  return files.map(({ path }) => path)
}

const templates = (id: string): Record<string, string> => ({
  [`${id}.ts`]: scraperText(id),
  [`golden/${id}/example/page.html`]: pageText,
  [`golden/${id}/example/input.json`]: `${JSON.stringify({ url: 'https://shop.example/things/42' }, null, 2)}\n`,
  [`golden/${id}/example/record.json`]: `${JSON.stringify(record, null, 2)}\n`,
  [`${id}.test.ts`]: testText(id),
})

const record = { title: 'A thing', price: 12.5, tags: ['new', 'blue'] }

const scraperText = (
  id: string,
): string => `// ${id}: describe here which pages it reads, and what it makes of them.
import { defineScraper } from 'kscrape'
import * as z from 'zod'

export default defineScraper({
  id: '${id}',
  version: '1',
  name: '${id}',
  description: 'Title, price and tags of a thing.',
  input: z.object({ url: z.url() }),
  // What may be missing on a page is nullable, so that the rest of the record is kept.
  output: z.strictObject({
    title: z.string(),
    price: z.number().nullable(),
    tags: z.array(z.string()),
  }),
  policy: { host: { rate: 1 } },

  async run({ open, emit }) {
    const page = await open()
    page.expect('h1')
    const price = page.attr('[itemprop=price]', 'content')
    emit({
      title: page.text('h1') ?? '',
      price: price === null ? null : Number(price),
      tags: page.all('.tags li'),
    })
  },
})
`

const pageText = `<!doctype html>
<html lang="en">
  <head><title>A thing</title></head>
  <body>
    <h1>A thing</h1>
    <p>Only <span itemprop="price" content="12.50">12.50 €</span></p>
    <ul class="tags"><li>new</li><li>blue</li></ul>
  </body>
</html>
`

const testText = (id: string): string => `// What ${id} makes of pages. Run with: node --test scrapers/
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from 'kscrape'
import { runScraper } from 'kscrape/testing'
import scraper from './${id}.ts'

const url = 'https://shop.example/things/42'

test('a thing without a price still has a title', async () => {
  const records = await runScraper(scraper, { url, pages: { [url]: '<h1>A thing</h1>' } })
  assert.deepEqual(records, [{ title: 'A thing', price: null, tags: [] }])
})

test('a page that is no thing is refused', async () => {
  const running = runScraper(scraper, { url, pages: { [url]: '<p>Please log in</p>' } })
  await assert.rejects(running, (error: Failure) => error.code === 'extract.site-changed')
})
`
