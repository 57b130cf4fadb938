// A job's tasks run over pages that were kept: the same code as in a lane, with no way to the web.
import type { LlmSettings } from '../extract/llm/client.ts'
import { EgressGate } from '../fetch/http/index.ts'
import { canonicalUrl } from '../frontier/canonical-url.ts'
import { Failure } from '../model/failures.ts'
import type { Job } from '../model/job.ts'
import type { TaskReport } from '../model/lane.ts'
import type { Page } from '../model/page.ts'
import type { LeasedTask } from '../model/task.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Fetch } from '../ports/fetch.ts'
import type { Registry } from '../scraper/registry.ts'
import { OpenJob } from './lane-job.ts'
import { runFetchTask } from './run-fetch-task.ts'

export interface KeptPagesParts {
  blobs: Blobs
  clock: Clock
  registry: Registry
  llm?: LlmSettings | null
}

export class KeptPages implements AsyncDisposable {
  readonly #parts: KeptPagesParts
  readonly #job: OpenJob
  #page: Page | null = null

  constructor(parts: KeptPagesParts, job: Pick<Job, 'id' | 'spec'>) {
    this.#parts = parts
    const results = { raw: 'none', layout: 'segments' } as const
    const spec = { ...job.spec, results, dedupe: false }
    const layer = (): Fetch => async request => this.#keptFor(request.url)
    this.#job = new OpenJob(
      // Links lead nowhere from here, so it is a list whatever it was.
      { id: job.id, kind: 'list', spec, userAgent: '', cookies: null, slots: 1 },
      {
        name: 'kept-pages',
        blobs: parts.blobs,
        llm: parts.llm ?? null,
        scraper: id => parts.registry.get(id),
        http: { gate: new EgressGate({ allowPrivate: [] }), caFile: null, layer },
      },
    )
  }

  /** `id@version` of what makes the records. */
  get maker(): string {
    return this.#job.scraperName
  }

  /** What the task would have reported, had this page come from the web. */
  async run(task: LeasedTask, page: Page, signal: AbortSignal): Promise<TaskReport> {
    this.#page = page
    const parts = { ...this.#parts, askPermit: async () => {} }
    return (await runFetchTask(parts, this.#job, { ...task, startAt: 0, gapMs: 0 }, signal)).report
  }

  /** Of a scraper that opens several pages, the last is the one that was kept. */
  #keptFor(url: string): Page {
    const page = this.#page
    if (page && [page.url, page.finalUrl].some(known => sameUrl(known, url))) return page
    throw new Failure('page.not-kept', `${url} was not kept, and nothing is fetched here`, { url })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#job[Symbol.asyncDispose]()
  }
}

const sameUrl = (a: string, b: string): boolean =>
  a === b || canonicalUrl(a, { query: 'keep' }) === canonicalUrl(b, { query: 'keep' })
