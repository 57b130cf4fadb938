// The files that `kscrape scrape` writes for pages: text, a screenshot, a PDF.
import { resolve } from 'node:path'
import { Failure } from '../../model/failures.ts'
import { writeFileInto } from '../../pipeline/report/job-artifacts.ts'
import type { FetchFlags, ScrapeFlags } from '../flags/flags.ts'
import type { ScrapedPage } from '../jobs/page-reader.ts'
import { nameOf } from '../show/summary.ts'

/** A file with the text of the pages, as printed on stdout. */
export interface PageFile {
  path: string
  format: 'markdown' | 'text' | 'html'
}

const pageEndings: Record<string, PageFile['format']> = {
  md: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  html: 'html',
  htm: 'html',
}

/** The outputs of `-o` that contain the page itself: .md, .txt and .html. All other file types contain records, and so does
 *  .md if there are extraction rules. */
export function pageFilesOf(
  { output = [], extract, field }: ScrapeFlags,
  pages: number,
): { pageFiles: PageFile[]; outputs: string[] } {
  const pageFiles: PageFile[] = []
  const outputs: string[] = []
  for (const path of output) {
    const format = pageEndings[path.split('.').at(-1)!.toLowerCase()]
    if (format === undefined || ((extract || field) && format === 'markdown')) outputs.push(path)
    else pageFiles.push({ path, format })
  }
  if (pages > 1 && pageFiles.some(({ format }) => format === 'html'))
    throw new Failure(
      'input.invalid',
      `one HTML file can't hold ${pages} pages; write records (-o pages.jsonl), or scrape one page at a time`,
    )
  return { pageFiles, outputs }
}

export const writePageText = ({ path }: PageFile, text: string): Promise<void> =>
  writeFileInto(resolve(path), Buffer.from(text.endsWith('\n') ? text : `${text}\n`))

const kinds = [
  { flag: 'screenshot', ending: 'png' },
  { flag: 'pdf', ending: 'pdf' },
] as const

export async function writePageFiles(page: ScrapedPage, flags: FetchFlags): Promise<void> {
  for (const { flag, ending } of kinds) {
    const wish = flags[flag] ?? (flag === 'screenshot' && flags.fullPage)
    const bytes = wish ? await page.file(flag) : null
    if (!wish || bytes === null) continue
    const path = resolve(typeof wish === 'string' ? wish : `${pageName(page.url)}.${ending}`)
    await writeFileInto(path, bytes)
    if (!flags.quiet) process.stderr.write(`wrote ${nameOf(path)} (${bytes.length} bytes)\n`)
  }
}

/** A file name for a URL: `https://shop.example/item/1?x=2` becomes `shop.example-item-1-x-2`. */
const pageName = (url: string): string =>
  url
    .replace(/^\w+:\/\//, '')
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 120) || 'page'
