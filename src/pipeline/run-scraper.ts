// A scraper's own code, run in a lane: each page it opens asks for a permit, what it emits is checked at once.
import { decodeText, statusFailure } from '../fetch/http/index.ts'
import { canonicalUrl } from '../frontier/canonical-url.ts'
import { asFailure, Failure } from '../model/failures.ts'
import type { TimedTask } from '../model/lane.ts'
import type { FetchRequest, Page } from '../model/page.ts'
import type { Extracted, RecordData } from '../model/record.ts'
import { issueLines } from '../model/standard-schema.ts'
import type { OpenOptions } from '../scraper/define-scraper.ts'
import type { PageView } from '../scraper/page-view.ts'
import type { OpenJob } from './lane-job.ts'
import { pageViewOf } from './page-view.ts'
import { failedReport, succeeded, type TaskParts, type TaskResult } from './task-report.ts'

export async function runScraper(
  parts: TaskParts,
  job: OpenJob,
  task: TimedTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  const run = new ScraperRun(parts, job, task, signal)
  const startedAt = parts.clock.now()
  try {
    await run.go()
    const page = run.lastPage ?? noPage(task, startedAt, parts.clock.now())
    const reading = {
      extracted: run.emitted,
      links: run.links(),
      sitemaps: [],
      canonicalKey: null,
      contentKey: null,
      specParsed: false,
    }
    return {
      report: { ...succeeded(job, task, page, reading), startedAt, endedAt: parts.clock.now() },
      page: run.lastPage,
    }
  } catch (error) {
    return {
      report: { ...failedReport(task, scraperFailure(error, job), parts.clock.now()), startedAt },
      page: run.lastPage,
    }
  }
}

/** What a scraper throws itself is the scraper's failure, not a bug of ours. */
function scraperFailure(error: unknown, job: OpenJob): Failure {
  if (error instanceof Failure) return error
  return new Failure(
    'scraper.failed',
    `scraper ${job.scraperName}: ${asFailure(error).message}`,
    {},
    { cause: error },
  )
}

class ScraperRun {
  readonly emitted: Extracted[] = []
  lastPage: Page | null = null
  #parts: TaskParts
  #job: OpenJob
  #task: TimedTask
  #signal: AbortSignal
  #followed: string[] = []
  #opened = 0

  constructor(parts: TaskParts, job: OpenJob, task: TimedTask, signal: AbortSignal) {
    this.#parts = parts
    this.#job = job
    this.#task = task
    this.#signal = signal
  }

  async go(): Promise<void> {
    await this.#job.scraper.run!({
      input: await this.#input(),
      url: this.#task.url,
      open: (url, options) => this.#open(url, options),
      emit: record => this.#emit(record),
      follow: url => void this.#followed.push(url),
      signal: this.#signal,
    })
  }

  /** Followed URLs go through the same admission as links in a page. */
  links() {
    if (this.#followed.length === 0) return null
    const base = this.lastPage?.finalUrl ?? this.#task.url
    return this.#job.admitter.admit(
      { base, hrefs: this.#followed, nofollow: [], pageNofollow: false },
      this.#task.depth + 1,
    )
  }

  async #input(): Promise<unknown> {
    const value: unknown = this.#task.input === null ? { url: this.#task.url } : JSON.parse(this.#task.input)
    const schema = this.#job.scraper.input
    if (!schema) return value
    const result = await schema['~standard'].validate(value)
    if (result.issues)
      throw new Failure(
        'input.invalid',
        `the input of ${this.#job.scraperName} is wrong: ${issueLines(result.issues).join('; ')}`,
      )
    return result.value
  }

  async #open(target = this.#task.url, options: OpenOptions = {}): Promise<PageView> {
    const url = canonicalUrl(target, { query: 'keep' }, this.lastPage?.finalUrl)
    if (!url) throw new Failure('input.invalid', `open("${target}") is no http or https URL`, { url: target })
    await this.#permit(url)
    const page = await this.#job.fetch(
      { ...this.#job.request(url, hop => this.#ask(hop.to)), ...requestOf(options) },
      this.#signal,
    )
    this.lastPage = page
    const refused = statusFailure(page, page.endedAt)
    if (refused) throw refused
    return pageViewOf(this.#job.parse(decodeText(page)), page)
  }

  /** The task's own first page was paid for when it was released. */
  async #permit(url: string): Promise<void> {
    if (this.#opened++ === 0 && url === this.#task.url) return
    await this.#ask(url)
  }

  #ask(url: string): Promise<void> {
    return this.#parts.askPermit(
      { jobId: this.#task.jobId, n: this.#task.n, url, purpose: 'extra' },
      this.#signal,
    )
  }

  #emit(record: unknown): void {
    this.emitted.push({ data: this.#checked(record) as RecordData, provenance: {} })
  }

  #checked(record: unknown): unknown {
    const result = this.#job.scraper.output?.['~standard'].validate(record)
    if (result === undefined) return record
    if (result instanceof Promise)
      throw new Failure(
        'scraper.failed',
        `the output schema of ${this.#job.scraperName} is asynchronous, which emit can't wait for`,
      )
    if (result.issues)
      throw new Failure(
        'scraper.failed',
        `${this.#job.scraperName} emitted a record that does not fit: ${issueLines(result.issues).join('; ')}`,
      )
    return result.value
  }
}

function requestOf({ method, headers, form, body }: OpenOptions): Partial<FetchRequest> {
  const sent = form ? new URLSearchParams(form).toString() : body
  const type = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
  return {
    ...(method || sent !== undefined ? { method: method ?? 'POST' } : {}),
    ...(sent !== undefined ? { body: sent } : {}),
    ...(headers || form ? { headers: { ...type, ...headers } } : {}),
  }
}

/** A scraper that opened nothing (its records come from the input) still has a report. */
const noPage = (task: TimedTask, startedAt: number, endedAt: number): Page => ({
  url: task.url,
  finalUrl: task.url,
  status: 0,
  headers: [],
  body: Buffer.alloc(0),
  wireBytes: 0,
  hops: [],
  remoteAddress: null,
  httpVersion: '1.1',
  startedAt,
  sentAt: startedAt,
  endedAt,
})
