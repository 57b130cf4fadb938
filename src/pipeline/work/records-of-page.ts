// The records that a scraper without code makes of a page that was opened for it: by its rules, or as the page is.
import { defaultRecord, type PageNotes } from '../../extract/default-record.ts'
import { parseDocument } from '../../extract/document/index.ts'
import { type Download, downloadRecord } from '../../extract/formats/download.ts'
import { formatOf } from '../../extract/formats/format-of.ts'
import { pdfContent, pdfRecord, pdfText } from '../../extract/formats/pdf.ts'
import { PdfReader } from '../../extract/formats/pdf-reader.ts'
import { readTextual, textRecords } from '../../extract/formats/text.ts'
import { findLinks } from '../../extract/links.ts'
import { openRegexRunner } from '../../extract/regex-runner.ts'
import { applyRules, compileRules } from '../../extract/rules/index.ts'
import { wallFailure, wallOf } from '../../extract/walls/index.ts'
import { decodeText } from '../../fetch/http/index.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import { headerOf, mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { Extracted } from '../../model/record.ts'
import { coerce } from '../../normalize/index.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { isMarkup } from './read-page.ts'

export async function recordsOfPage({ rules }: Scraper, page: Page, url: string): Promise<Extracted[]> {
  const type = mediaTypeOf(page.headers)
  if (isMarkup(type, page.body)) return markupRecords(rules, page, url)
  const format = formatOf(type, page.body)
  if (format === 'pdf') return pdfRecords(rules, page, url)
  if (format === 'text') {
    const read = readTextual(type, decodeText(page))
    return rules ? ruled(rules, page, read.text) : textRecords(notesOf(page, url), read, coerce)
  }
  if (!rules) return [downloadRecord(notesOf(page, url), downloadOf(page))]
  const message = `${page.finalUrl} is ${type || 'of no named type'}, which rules can't read`
  throw new Failure('content.unsupported', message, { type })
}

async function markupRecords(
  rules: ExtractionRules | undefined,
  page: Page,
  url: string,
): Promise<Extracted[]> {
  const source = decodeText(page)
  const document = parseDocument(source)
  const wall = wallOf({ ...page, url, source, document: () => document })
  if (wall) throw wallFailure(wall, { url, status: page.status })
  return rules ? ruled(rules, page, source, source) : [defaultRecord(document, notesOf(page, url))]
}

/** To rules, a PDF is its text. */
async function pdfRecords(rules: ExtractionRules | undefined, page: Page, url: string): Promise<Extracted[]> {
  await using reader = new PdfReader()
  const content = pdfContent(page, await reader.read(page.body))
  if (!rules) return [pdfRecord(notesOf(page, url), downloadOf(page), content)]
  return ruled(rules, page, pdfText(content))
}

/** What is no markup has no elements: a regex can still look at its text. */
async function ruled(
  rules: ExtractionRules,
  { finalUrl: url, endedAt: fetchedAt }: Page,
  source: string,
  markup = '',
): Promise<Extracted[]> {
  await using regex = openRegexRunner()
  const document = parseDocument(markup)
  const { base } = findLinks(document, url)
  const context = { url, baseUrl: base, source, fetchedAt, regex, coerce }
  return await applyRules(document, compileRules(rules), context)
}

const notesOf = (page: Page, url: string): PageNotes => ({
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
