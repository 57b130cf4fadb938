// The records of a page of any format: markup, text, PDF or download. Lanes and scraper sessions use this class.
import { defaultRecord, type PageNotes } from '../../extract/default-record.ts'
import { type FlatDocument, parseDocument } from '../../extract/document/index.ts'
import { type Download, downloadRecord } from '../../extract/formats/download.ts'
import { formatOf } from '../../extract/formats/format-of.ts'
import { pdfContent, pdfRecord, pdfText } from '../../extract/formats/pdf.ts'
import { PdfReader } from '../../extract/formats/pdf-reader.ts'
import { type ReadText, textRecords } from '../../extract/formats/text.ts'
import { findLinks } from '../../extract/links.ts'
import { type FillParts, fillMissing } from '../../extract/llm/fill-missing.ts'
import { openRegexRunner } from '../../extract/regex-runner.ts'
import type { RulesContext } from '../../extract/rules/apply-rules.ts'
import {
  applyRules,
  applyRulesToAll,
  type CompiledRules,
  compileRules,
  noRecordWarning,
} from '../../extract/rules/index.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import { headerOf, mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Extracted } from '../../model/record.ts'
import { coerce } from '../../normalize/index.ts'
import type { ParsedPage } from './parse-page.ts'

type Records = Extracted[] | Promise<Extracted[]>

export interface PageRecordsParts {
  rules: ExtractionRules | undefined
  /** The language model for fields that the rules did not find. */
  model?: ((rules: CompiledRules) => FillParts) | null
  /** Checks the records that the rules made from a source. */
  check?: (records: Records, source: string, page: Page) => Records
}

export class PageRecords implements AsyncDisposable {
  readonly #rules: CompiledRules | null
  readonly #model: FillParts | null
  readonly #check: NonNullable<PageRecordsParts['check']>
  readonly #regex = openRegexRunner()
  readonly #pdf = new PdfReader()

  constructor({ rules, model, check }: PageRecordsParts) {
    this.#rules = rules ? compileRules(rules) : null
    this.#model = (this.#rules && model?.(this.#rules)) ?? null
    this.#check = check ?? (records => records)
  }

  get asksModel(): boolean {
    return this.#model !== null
  }

  ofMarkup({ document, source, found, page, url }: ParsedPage): Records {
    if (!this.#rules) return [defaultRecord(document, notesOf(page, url), found)]
    return this.#applyRules(this.#rules, document, page, found.base, source)
  }

  /** The records of a page that is not markup. `read` is null if the page has no text of its own. Rules are applied to the text of a
   *  page or PDF; only `regex` rules can match it. */
  ofOther(page: Page, url: string, read: ReadText | null): Records {
    if (read) return this.#ofText(page, read.text) ?? textRecords(notesOf(page, url), read, coerce)
    const type = mediaTypeOf(page.headers)
    if (formatOf(type, page.body) === 'pdf') return this.#ofPdf(page, url)
    if (!this.#rules) return [downloadRecord(notesOf(page, url), downloadOf(page))]
    // The task fails, but the file is stored.
    const shown = type || 'of an unknown type'
    throw new Failure('content.unsupported', `${page.finalUrl} is ${shown}; rules cannot be applied to it`, {
      type: shown,
    })
  }

  /** The records of markup that actions read. Null as `rules`: the rules of the job. */
  ofElements = (html: string, url: string, rules: ExtractionRules | null): Records => {
    const document = parseDocument(html)
    const found = findLinks(document, url)
    const compiled = rules ? compileRules(rules) : this.#rules
    const fetchedAt = Date.now()
    const page = { finalUrl: url, endedAt: fetchedAt }
    if (compiled) return applyRules(document, compiled, this.#contextOf(page, found.base, html))
    return [defaultRecord(document, { url, finalUrl: url, status: 200, fetchedAt }, found)]
  }

  /** The required fields without a value, for a page that gave no record. */
  async missingRequired({ document, source, found, page }: ParsedPage): Promise<string[]> {
    if (!this.#rules) return []
    const context = this.#contextOf(page, found.base, source)
    const [incomplete] = await applyRulesToAll(document, this.#rules, context)
    return (incomplete?.missing ?? this.#rules.fields).map(({ name }) => name)
  }

  /** A warning that lists the rules of the job that found nothing. `parsed` is null for a page without text. */
  async whyNothing(
    page: Page,
    own: ExtractionRules,
    parsed: Pick<ParsedPage, 'document' | 'source' | 'found'> | null,
  ): Promise<PageWarning> {
    const context = parsed && this.#contextOf(page, parsed.found.base, parsed.source)
    const read = context && (await applyRulesToAll(parsed.document, this.#rules!, context))
    return noRecordWarning(page.finalUrl, own, read)
  }

  async #ofPdf(page: Page, url: string): Promise<Extracted[]> {
    const content = pdfContent(page, await this.#pdf.read(page.body))
    const own = this.#ofText(page, pdfText(content))
    return own ?? [pdfRecord(notesOf(page, url), downloadOf(page), content)]
  }

  /** Null if there are no rules. */
  #ofText(page: Page, text: string): Records | null {
    return this.#rules && this.#applyRules(this.#rules, parseDocument(''), page, page.finalUrl, text)
  }

  #applyRules(
    rules: CompiledRules,
    document: FlatDocument,
    page: Page,
    baseUrl: string,
    source: string,
  ): Records {
    const context = this.#contextOf(page, baseUrl, source)
    const records = this.#model
      ? fillMissing(this.#model, rules, { document, context })
      : applyRules(document, rules, context)
    return this.#check(records, source, page)
  }

  #contextOf(
    { finalUrl: url, endedAt: fetchedAt }: Pick<Page, 'finalUrl' | 'endedAt'>,
    baseUrl: string,
    source: string,
  ): RulesContext {
    return { url, baseUrl, source, fetchedAt, regex: this.#regex, coerce }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#regex[Symbol.asyncDispose]()
    await this.#pdf[Symbol.asyncDispose]()
  }
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
