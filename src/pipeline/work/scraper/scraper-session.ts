// One run of a scraper's code. The caller of this class supplies the pages that the code opens. Emitted records are checked at once.

import { parseDocument } from '../../../extract/document/index.ts'
import { renderNeed } from '../../../extract/render-need.ts'
import { decodeText } from '../../../fetch/http/index.ts'
import { givenUrl } from '../../../frontier/canonical-url.ts'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import { type Followed, type FollowOptions, followedInput, followedOf } from '../../../model/followed.ts'
import { isObject } from '../../../model/json.ts'
import type { Page } from '../../../model/page/page.ts'
import type { PageWarning } from '../../../model/page/page-warning.ts'
import type { Extracted, Provenance, RecordData } from '../../../model/record.ts'
import { issueLines } from '../../../model/standard-schema.ts'
import type { Credential } from '../../../ports/secrets.ts'
import type { OpenOptions, Scraper, Sources } from '../../../scraper/define-scraper.ts'
import type { JoinedContext } from '../../../scraper/one-of.ts'
import type { FormFields, FormView, PageView } from '../../../scraper/page-view.ts'
import { answerFailure } from '../answer-failure.ts'
import { noBrowser, renderNeeded } from '../browser-need.ts'
import { checkKind, fitRecord, judgeRecords } from '../check-records.ts'
import { normalizers } from './normalizers.ts'
import { pageViewOf } from './page-view.ts'
import { recordsOfPage } from './records-of-page.ts'

/** Gets a page: from the web with the job's politeness, from stored pages, or from a recording. */
export type BringPage = (url: string, options: OpenOptions) => Promise<Page>

interface SessionTask {
  url: string
  /** The input row as JSON; null if the task is a plain URL. */
  input: string | null
}

export interface FollowedLink {
  url: string
  /** The input of the new task, with handler and data. Null if `run` parses the page. */
  input: string | null
}

interface SessionOptions {
  /** Whether an HTTP page that lacks content may be requested again with a browser. */
  mayAskBrowser: boolean
  /** True if the job needs a browser but none is available. Then an empty page fails instead of giving an empty
   *  record. */
  lacksBrowser?: boolean
  /** Gets the credentials of a provider. Unset for stored pages and recordings: they have no credentials. */
  credentials?: (provider: string) => Promise<Credential>
}

export class ScraperSession {
  readonly emitted: Extracted[] = []
  readonly followed: FollowedLink[] = []
  lastPage: Page | null = null
  #lastView: PageView | null = null
  /** The warning if the page may be of another kind than the scraper parses. */
  #doubt: PageWarning | null = null
  #scraper: Scraper
  #task: SessionTask
  readonly #bring: BringPage
  readonly #signal: AbortSignal

  readonly #mayAskBrowser: boolean
  readonly #lacksBrowser: boolean
  readonly #credentials: SessionOptions['credentials']

  constructor(
    scraper: Scraper,
    task: SessionTask,
    bring: BringPage,
    signal: AbortSignal,
    options: SessionOptions = { mayAskBrowser: false },
  ) {
    this.#mayAskBrowser = options.mayAskBrowser
    this.#lacksBrowser = options.lacksBrowser ?? false
    this.#credentials = options.credentials
    this.#scraper = scraper
    this.#task = task
    this.#bring = bring
    this.#signal = signal
  }

  get #name(): string {
    return `${this.#scraper.id}@${this.#scraper.version}`
  }

  async run(): Promise<void> {
    const scraper = this.#scraper
    const followed = followedOf(this.#task.input)
    if (followed) await this.#handle(scraper, followed)
    else await (scraper.run ? scraper.run(await this.#context()) : this.#read(scraper))
    await this.#judge(scraper)
    this.#refuseIncomplete(scraper)
  }

  /** Runs a handler. The handler may be missing, because another version of the scraper may have created the task. */
  async #handle(scraper: Scraper, { handler: name, data }: Followed): Promise<void> {
    const handler = scraper.handlers?.[name]
    if (!handler) throw noHandler(scraper, name)
    const context = await this.#context({ url: this.#task.url })
    await handler({ ...context, input: { url: this.#task.url }, data: data as RecordData })
  }

  /** Runs the scraper's check. If the kind of the page is unclear, a failed check is not an error, but the record gets a
   *  warning. */
  async #judge(scraper: Scraper): Promise<void> {
    try {
      await judgeRecords(scraper, this.emitted, () => this.#lastView)
    } catch (error) {
      if (this.#doubt === null || this.emitted.length === 0) throw error
      if (error instanceof Failure && this.orNeed(error) !== error) throw error
    }
  }

  async #context(input?: unknown): Promise<JoinedContext> {
    return {
      input: input ?? (await this.#input()),
      url: this.#task.url,
      open: (url, options) => this.#open(url, options),
      submit: (form, values) => this.#submit(form, values),
      emit: (record, sources) => this.#emit(record, sources),
      follow: (url, options = {}) => this.#follow(url, options),
      credentials: await this.#credentialsOf(this.#scraper),
      normalize: normalizers,
      signal: this.#signal,
      runAs: (scraper, row) => this.#runAs(scraper, row),
    }
  }

  #follow(url: string, options: FollowOptions): void {
    const { to } = options
    if (to !== undefined && !Object.hasOwn(this.#scraper.handlers ?? {}, to))
      throw noHandler(this.#scraper, to)
    this.followed.push({ url, input: followedInput(url, options) })
  }

  async #credentialsOf({ credentials: provider }: Scraper): Promise<Credential> {
    return provider !== undefined && this.#credentials ? this.#credentials(provider) : {}
  }

  /** Continues the task with another scraper. From now on, the task and its records belong to that scraper. */
  #runAs(scraper: Scraper, row: Record<string, unknown>): Promise<void> {
    this.#scraper = scraper
    this.#task = { ...this.#task, input: JSON.stringify(row) }
    return this.run()
  }

  /** Runs a scraper without code: opens its page and applies its rules. */
  async #read(scraper: Scraper): Promise<void> {
    await this.#open()
    for (const { data, provenance, warnings } of await recordsOfPage(scraper, this.lastPage!, this.#task.url))
      this.emitted.push(fitRecord(scraper, data, provenance, warnings))
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
    const url = givenUrl(target, this.lastPage?.finalUrl)
    if (!url)
      throw new Failure('input.invalid', `open("${target}") is not an http or https URL`, { url: target })
    const page = await this.#bring(url, options)
    this.lastPage = page
    const refused = answerFailure(page)
    if (refused) throw refused
    this.#refuseShell(page)
    const isFirst = this.#lastView === null
    const view = this.#look(page)
    if (isFirst) this.#doubt = checkKind(this.#scraper, view)
    return view
  }

  #look(page: Page): PageView {
    this.lastPage = page
    this.#lastView = pageViewOf(decodeText(page), page, {
      renewed: later => this.#look(later),
      needBrowser: this.#asksFor(page) ? why => renderNeeded(page.finalUrl, why) : null,
    })
    return this.#lastView
  }

  #asksFor(page: Page): boolean {
    return this.#mayAskBrowser && !page.rendered
  }

  /** Throws if the page is empty without scripts. The page is then requested again with a browser. If no browser is
   *  available, the task fails. */
  #refuseShell(page: Page): void {
    const asks = this.#asksFor(page)
    if (!asks && (!this.#lacksBrowser || page.rendered)) return
    const need = needOf(page, [])
    if (need.needs) throw (asks ? renderNeeded : noBrowser)(page.finalUrl, need.why)
  }

  /** Throws `render.needed` if an HTTP page gave none of the expected fields and may need scripts. */
  #refuseIncomplete({ reads }: Scraper): void {
    const page = this.lastPage
    const isComplete = ({ data }: Extracted) => reads!.expects!.some(field => (data[field] ?? null) !== null)
    if (!reads?.expects || !page || !this.#asksFor(page) || this.emitted.some(isComplete)) return
    const need = needOf(page, [...reads.expects])
    if (need.needs) throw renderNeeded(page.finalUrl, need.why)
  }

  /** Turns a failure into `render.needed` if the cause may be an HTTP page that needs scripts. */
  orNeed(failure: Failure): Failure {
    const page = this.lastPage
    if (!mayBeShell.has(failure.code) || !page || !this.#asksFor(page)) return failure
    const need = needOf(page, ['what the scraper expects'])
    return need.needs ? renderNeeded(page.finalUrl, need.why) : failure
  }

  #submit({ action, method, fields }: FormView, values: FormFields = {}): Promise<PageView> {
    const form = { ...fields, ...values }
    if (method === 'POST') return this.#open(action, { method, form })
    const url = new URL(action)
    url.search = encodeForm(form)
    return this.#open(url.href)
  }

  #emit(record: unknown, sources: Sources<unknown> = {}): void {
    if (!isObject(record))
      throw new Failure(
        'scraper.failed',
        `${this.#name} emitted a value that is not a record; pass an object of fields to emit`,
      )
    const warnings = this.#doubt ? [this.#doubt] : []
    this.emitted.push(fitRecord(this.#scraper, record as RecordData, sources as Provenance, warnings))
  }
}

function noHandler({ id, handlers = {} }: Scraper, name: string): Failure {
  const names = Object.keys(handlers)
  const known = names.length > 0 ? `it has ${names.join(', ')}` : 'it has none'
  return new Failure('scraper.failed', `scraper ${id} has no handler "${name}"; ${known}`)
}

const mayBeShell: ReadonlySet<FailureCode> = new Set(['extract.site-changed', 'extract.wrong-page-kind'])

const needOf = (page: Page, missingRequired: string[]) =>
  renderNeed({ document: parseDocument(decodeText(page)), missingRequired })

/** Encodes form fields as a browser does: a name with several values appears several times. */
export function encodeForm(fields: FormFields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  )
  return new URLSearchParams(pairs).toString()
}
