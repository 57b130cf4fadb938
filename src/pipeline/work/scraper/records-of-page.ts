// Records of a page that a scraper without code opened: from its rules, or the default record.
import { defaultRecord } from '../../../extract/default-record.ts'
import { parseDocument } from '../../../extract/document/index.ts'
import { formatOf } from '../../../extract/formats/format-of.ts'
import { PdfReader } from '../../../extract/formats/pdf-reader.ts'
import { readTextual } from '../../../extract/formats/text.ts'
import { findLinks } from '../../../extract/links.ts'
import { openRegexRunner } from '../../../extract/regex-runner.ts'
import { applyRules, compileRules } from '../../../extract/rules/index.ts'
import { wallFailure, wallOf } from '../../../extract/walls/index.ts'
import { decodeText } from '../../../fetch/http/index.ts'
import type { ExtractionRules } from '../../../model/extraction-rules.ts'
import { mediaTypeOf, type Page } from '../../../model/page/page.ts'
import type { Extracted } from '../../../model/record.ts'
import { coerce } from '../../../normalize/index.ts'
import type { Scraper } from '../../../scraper/define-scraper.ts'
import { notesOf, recordsOfDownload, recordsOfPdf, recordsOfText, type TextRules } from '../format-records.ts'
import { isMarkup } from '../read-page.ts'

export async function recordsOfPage({ rules }: Scraper, page: Page, url: string): Promise<Extracted[]> {
  const type = mediaTypeOf(page.headers)
  if (isMarkup(type, page.body)) return markupRecords(rules, page, url)
  const format = formatOf(type, page.body)
  const textRules: TextRules = rules ? text => applied(rules, page, text) : null
  if (format === 'text') return recordsOfText(page, url, readTextual(type, decodeText(page)), textRules)
  if (format !== 'pdf') return recordsOfDownload(page, url, textRules)
  await using reader = new PdfReader()
  return await recordsOfPdf(page, url, reader, textRules)
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
  return rules ? applied(rules, page, source, source) : [defaultRecord(document, notesOf(page, url))]
}

/** Applies rules to a page. `markup` is empty if the page has no elements. */
async function applied(
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
