// Writes a new scraper: code, a golden page with its record, a test, and a README.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readTextFile } from '../../lib/text/text-file.ts'
import { Failure } from '../../model/failures.ts'
import { idPattern } from '../../model/ids.ts'
import { Registry } from '../../scraper/registry.ts'

/** Returns the files that were written, the scraper first. */
export async function newScraper(root: string, id: string): Promise<string[]> {
  if (!idPattern.test(id) || !/^[A-Za-z0-9]/.test(id))
    throw new Failure(
      'input.invalid',
      `"${id}" is not a valid scraper id; use letters, digits, ".", "_" and "-"`,
      { id },
    )
  if (new Registry().list().some(scraper => scraper.id === id))
    throw new Failure('input.invalid', `"${id}" is the name of a built-in scraper; choose another`, { id })
  const files = Object.entries(templates(id)).map(([path, text]) => ({
    path: join(root, 'scrapers', path),
    text,
  }))
  const taken = files.find(({ path }) => existsSync(path))
  if (taken)
    throw new Failure('input.invalid', `${taken.path} already exists; nothing was written`, {
      path: taken.path,
    })
  for (const { path, text } of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
  }
  return [...files.map(({ path }) => path), ...(await readme(root, id))]
}

/** One README for all scrapers of the folder. An existing README stays. */
async function readme(root: string, id: string): Promise<string[]> {
  const path = join(root, 'scrapers', 'README.md')
  if (existsSync(path)) return []
  await writeFile(path, textOf('readme.txt', id), { flag: 'wx' })
  return [path]
}

/** The files of a new scraper, by path below `scrapers/`. The templates are beside this file; `{{id}}` stands for the
 *  scraper's name. */
const templates = (id: string): Record<string, string> => ({
  [`${id}.ts`]: textOf('scraper.txt', id),
  [`golden/${id}/example/page.html`]: textOf('page.html', id),
  [`golden/${id}/example/input.json`]: textOf('input.json', id),
  [`golden/${id}/example/record.json`]: textOf('record.json', id),
  [`${id}.test.ts`]: textOf('test.txt', id),
})

const textOf = (name: string, id: string): string =>
  readTextFile(join(import.meta.dirname, 'template', name)).replaceAll('{{id}}', id)
