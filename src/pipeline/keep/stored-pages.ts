// Runs tasks of a job over its stored pages, with the code of a lane and without network access.

import type { LlmSettings } from '../../extract/llm/client.ts'
import type { ModelLedger } from '../../extract/llm/token-budget.ts'
import { EgressGate } from '../../fetch/http/index.ts'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import type { TaskReport } from '../../model/lane.ts'
import type { FetchRequest, Page } from '../../model/page/page.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { neverLapses } from '../../ports/permits.ts'
import type { WarcExchange } from '../../results/warc-exchanges.ts'
import type { Registry } from '../../scraper/registry.ts'
import { OpenJob, type OpenJobParts } from '../work/lane/open-job.ts'
import { runFetchTask } from '../work/run-fetch-task.ts'
import { Answers } from '../work/scraper/stored-exchanges.ts'

export interface StoredPagesParts {
  blobs: Blobs
  clock: Clock
  registry: Registry
  llm?: LlmSettings | null
  golden?: OpenJobParts['golden']
  /** The token budget. Default: a new one. */
  ledger?: ModelLedger
}

export class StoredPages implements AsyncDisposable {
  readonly #parts: StoredPagesParts
  readonly #job: OpenJob
  #answers = new Answers([])

  constructor(parts: StoredPagesParts, job: Pick<Job, 'id' | 'kind' | 'workspace' | 'spec'>) {
    this.#parts = parts
    const results = { ...job.spec.results, raw: 'none', layout: 'segments' } as const
    const spec = { ...job.spec, results, dedupe: job.spec.dedupe ?? job.kind === 'crawl' }
    const layer = (): Fetch => async request => this.#keptFor(request)
    const ledger = parts.ledger ? { llmLedger: parts.ledger } : {}
    const { id, workspace } = job
    this.#job = new OpenJob(
      // Links must not be followed, so the job runs as a list.
      { id, kind: 'list', workspace, spec, userAgent: '', cookies: null, slots: 1, ...ledger },
      {
        name: 'kept-pages',
        blobs: parts.blobs,
        llm: parts.llm ?? null,
        golden: parts.golden,
        scraper: id => parts.registry.get(id),
        http: { gate: new EgressGate({ allowPrivate: [] }), caFile: null, layer },
      },
    )
  }

  /** The extractor of the records, as `id@version`. */
  get maker(): string {
    return this.#job.scraperName
  }

  /** Runs a task with the stored responses and returns its report. Run one task at a time. */
  async run(task: LeasedTask, exchanges: readonly WarcExchange[], signal: AbortSignal): Promise<TaskReport> {
    this.#answers = new Answers(exchanges)
    const parts = { ...this.#parts, askPermit: async () => neverLapses }
    return (await runFetchTask(parts, this.#job, { ...task, startAt: 0, gapMs: 0 }, signal)).report
  }

  #keptFor(request: FetchRequest): Page {
    const { url, method = 'GET' } = request
    const page = this.#answers.to(request)
    if (page) return page
    const asked = method === 'GET' ? url : `${method} ${url} with these values`
    throw new Failure('page.not-kept', `${asked} was not stored, and this command sends no requests`, {
      url,
      method,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#job[Symbol.asyncDispose]()
  }
}
