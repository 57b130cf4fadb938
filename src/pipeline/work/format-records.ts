// Records of pages that are not markup: text, PDFs and downloads. Lanes and scraper sessions use these functions.
import type { PageNotes } from '../../extract/default-record.ts'
import { type Download, downloadRecord } from '../../extract/formats/download.ts'
import { pdfContent, pdfRecord, pdfText } from '../../extract/formats/pdf.ts'
import type { PdfReader } from '../../extract/formats/pdf-reader.ts'
import { type ReadText, textRecords } from '../../extract/formats/text.ts'
import { Failure } from '../../model/failures.ts'
import { headerOf, mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { Extracted } from '../../model/record.ts'
import { coerce } from '../../normalize/index.ts'

/** Applies rules to a page without elements. Only `regex` rules can match its text. Null if there are no rules. */
export type TextRules = ((text: string) => Extracted[] | Promise<Extracted[]>) | null

export const recordsOfText = (
  page: Page,
  url: string,
  read: ReadText,
  rules: TextRules,
): Extracted[] | Promise<Extracted[]> =>
  rules ? rules(read.text) : textRecords(notesOf(page, url), read, coerce)

/** The records of a PDF. Rules are applied to its text. */
export async function recordsOfPdf(
  page: Page,
  url: string,
  reader: PdfReader,
  rules: TextRules,
): Promise<Extracted[]> {
  const content = pdfContent(page, await reader.read(page.body))
  return rules ? rules(pdfText(content)) : [pdfRecord(notesOf(page, url), downloadOf(page), content)]
}

/** The record of a download, such as an image. Rules cannot be applied to a download. If there are rules, the task
 *  fails, but the file is stored. */
export function recordsOfDownload(page: Page, url: string, rules: TextRules): Extracted[] {
  if (!rules) return [downloadRecord(notesOf(page, url), downloadOf(page))]
  const type = mediaTypeOf(page.headers) || 'of an unknown type'
  throw new Failure('content.unsupported', `${page.finalUrl} is ${type}; rules cannot be applied to it`, {
    type,
  })
}

export const notesOf = (page: Page, url: string): PageNotes => ({
  url,
  finalUrl: page.finalUrl,
  status: page.status,
  fetchedAt: page.endedAt,
})

const downloadOf = ({ headers, body }: Page): Download => ({
  contentType: mediaTypeOf(headers),
  disposition: headerOf(headers, 'content-disposition'),
  body,
})
