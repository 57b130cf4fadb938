// One run of a scraper's code: what it opens comes from whoever runs it, what it emits is checked at once.
import { decodeText, statusFailure } from '../fetch/http/index.ts'
import { canonicalUrl } from '../frontier/canonical-url.ts'
import { Failure } from '../model/failures.ts'
import type { Page } from '../model/page.ts'
import type { Extracted, RecordData } from '../model/record.ts'
import { issueLines } from '../model/standard-schema.ts'
import type { OpenOptions, Scraper } from '../scraper/define-scraper.ts'
import type { PageView } from '../scraper/page-view.ts'
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
      emit: record => this.#emit(record),
      follow: url => void this.followed.push(url),
      signal: this.#signal,
    })
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
    return pageViewOf(decodeText(page), page)
  }

  #emit(record: unknown): void {
    this.emitted.push({ data: this.#checked(record) as RecordData, provenance: {} })
  }

  #checked(record: unknown): unknown {
    const result = this.#scraper.output?.['~standard'].validate(record)
    if (result === undefined) return record
    if (result instanceof Promise)
      throw new Failure(
        'scraper.failed',
        `the output schema of ${this.#name} is asynchronous, which emit can't wait for`,
      )
    if (!result.issues) return result.value
    throw new Failure(
      'scraper.failed',
      `${this.#name} emitted a record that does not fit: ${issueLines(result.issues).join('; ')}`,
    )
  }
}
