// One run of a scraper's code: what it opens comes from whoever runs it, what it emits is checked at once.
import { decodeText, statusFailure } from '../fetch/http/index.ts'
import { canonicalUrl } from '../frontier/canonical-url.ts'
import { Failure } from '../model/failures.ts'
import type { Page } from '../model/page.ts'
import type { Extracted, Provenance, RecordData } from '../model/record.ts'
import { issueLines } from '../model/standard-schema.ts'
import type { OpenOptions, Scraper, Sources } from '../scraper/define-scraper.ts'
import type { FormFields, FormView, PageView } from '../scraper/page-view.ts'
import { fitRecord, judgeRecords } from './check-records.ts'
import { normalizers } from './normalizers.ts'
import { pageViewOf } from './page-view.ts'

/** Brings a page: from the web under a job's politeness, from kept pages, or from a recording. */
export type BringPage = (url: string, options: OpenOptions) => Promise<Page>

export interface SessionTask {
  url: string
  /** The row as JSON; null when the URL is all there is. */
  input: string | null
}

export class ScraperSession {
  readonly emitted: Extracted[] = []
  readonly followed: string[] = []
  lastPage: Page | null = null
  #lastView: PageView | null = null
  readonly #scraper: Scraper
  readonly #task: SessionTask
  readonly #bring: BringPage
  readonly #signal: AbortSignal

  constructor(scraper: Scraper, task: SessionTask, bring: BringPage, signal: AbortSignal) {
    this.#scraper = scraper
    this.#task = task
    this.#bring = bring
    this.#signal = signal
  }

  get #name(): string {
    return `${this.#scraper.id}@${this.#scraper.version}`
  }

  async run(): Promise<void> {
    await this.#scraper.run!({
      input: await this.#input(),
      url: this.#task.url,
      open: (url, options) => this.#open(url, options),
      submit: (form, values) => this.#submit(form, values),
      emit: (record, sources) => this.#emit(record, sources),
      follow: url => void this.followed.push(url),
      normalize: normalizers,
      signal: this.#signal,
    })
    await judgeRecords(this.#scraper, this.emitted, () => this.#lastView)
  }

  async #input(): Promise<unknown> {
    const value: unknown = this.#task.input === null ? { url: this.#task.url } : JSON.parse(this.#task.input)
    const schema = this.#scraper.input
    if (!schema) return value
    const result = await schema['~standard'].validate(value)
    if (!result.issues) return result.value
    throw new Failure(
      'input.invalid',
      `the input of ${this.#name} is wrong: ${issueLines(result.issues).join('; ')}`,
    )
  }

  async #open(target = this.#task.url, options: OpenOptions = {}): Promise<PageView> {
    const url = canonicalUrl(target, { query: 'keep' }, this.lastPage?.finalUrl)
    if (!url) throw new Failure('input.invalid', `open("${target}") is no http or https URL`, { url: target })
    const page = await this.#bring(url, options)
    this.lastPage = page
    const refused = statusFailure(page, page.endedAt)
    if (refused) throw refused
    this.#lastView = pageViewOf(decodeText(page), page)
    return this.#lastView
  }

  #submit({ action, method, fields }: FormView, values: FormFields = {}): Promise<PageView> {
    const form = { ...fields, ...values }
    if (method === 'POST') return this.#open(action, { method, form })
    const url = new URL(action)
    url.search = encodeForm(form)
    return this.#open(url.href)
  }

  #emit(record: unknown, sources: Sources<unknown> = {}): void {
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      throw new Failure(
        'scraper.failed',
        `${this.#name} emitted what is no record; emit takes an object of fields`,
      )
    this.emitted.push(fitRecord(this.#scraper, record as RecordData, sources as Provenance))
  }
}

/** As a browser sends it: a name with several values comes several times. */
export function encodeForm(fields: FormFields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  )
  return new URLSearchParams(pairs).toString()
}
