// The stored page of a task in a data directory.

import type { PageNotes } from '../../extract/default-record.ts'
import { parseDocument } from '../../extract/document/index.ts'
import { formatPage } from '../../extract/page-formats.ts'
import { decodeText } from '../../fetch/http/index.ts'
import { isMarkup } from '../../pipeline/work/parse-page.ts'
import { readPage } from '../../results/read-page.ts'
import type { DataDirectory } from '../data-directory.ts'

export { pageNote } from '../../results/exports/page-note.ts'

/** The source text of a task's last fetched page; null if it was not stored. */
export async function sourceOf(data: DataDirectory, jobId: string, n: number): Promise<string | null> {
  const raw = (await data.store.tasks.attempts(jobId, n)).at(-1)?.raw
  return raw ? decodeText(await readPage(data.blobs, raw)) : null
}

/** The whole page as markdown or text, with navigation and footers. Null if it was not stored or is not HTML. */
export async function wholePageAs(
  data: DataDirectory,
  jobId: string,
  n: number,
  format: 'markdown' | 'text',
): Promise<string | null> {
  const raw = (await data.store.tasks.attempts(jobId, n)).at(-1)?.raw
  if (!raw) return null
  const page = await readPage(data.blobs, raw)
  if (!isMarkup(page)) return null
  const notes = { url: page.url, finalUrl: page.finalUrl, status: page.status, fetchedAt: page.endedAt }
  return wholeHtmlAs(decodeText(page), notes, format)
}

/** A whole HTML page as markdown or text. */
export const wholeHtmlAs = (html: string, notes: PageNotes, format: 'markdown' | 'text'): string | null =>
  formatPage(parseDocument(html), notes, format, { full: true })
