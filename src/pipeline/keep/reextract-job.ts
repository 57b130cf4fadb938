// Re-extraction: extracts the records of a job again from its stored pages, task by task, without network access.
import type { LlmSettings } from '../../extract/llm/client.ts'
import { openLedger, spentIn } from '../../extract/llm/token-budget.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { splitWay, wayWithRow } from '../../model/hidden-row.ts'
import { taskId } from '../../model/ids.ts'
import { hasEnded, type Job } from '../../model/job.ts'
import type { TaskReport } from '../../model/lane.ts'
import type { PageWay } from '../../model/policy/way.ts'
import type { NewRecord } from '../../model/record.ts'
import type { Reason, Task } from '../../model/task.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Reextraction, Replacement, Store } from '../../ports/store.ts'
import { writeItem } from '../../results/items.ts'
import { writeManifests } from '../../results/manifests.ts'
import { readRun } from '../../results/read-page.ts'
import type { WarcExchange } from '../../results/warc-exchanges.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { Mark } from '../coordinate/context.ts'
import { finalState } from '../coordinate/job-states/finish-job.ts'
import { makerPrint } from '../work/record-maker.ts'
import { beyondPage } from '../work/scraper/stored-exchanges.ts'
import { StoredPages, type StoredPagesParts } from './stored-pages.ts'

interface ReextractParts {
  store: Store
  blobs: Blobs
  clock: Clock
  registry: Registry
  llm?: LlmSettings | null
  golden?: StoredPagesParts['golden']
  mark: Mark
}

export interface ReextractEvents {
  progress: (done: Reextraction['done'], maker: string) => void
  /** Called for a page whose extraction failed. Its old records stay. */
  failed: (task: string, failure: Failure) => void
}

/** Tasks per transaction. After a crash, at most this many pages are extracted again. */
const batchTasks = 100

/** Re-extracts a job. `job.spec` has the new rules. After a crash, the next call with the same rules continues. */
export async function reextractJob(
  parts: ReextractParts,
  job: Job,
  events: ReextractEvents,
  signal: AbortSignal,
): Promise<Reextraction['done']> {
  refuseWithoutPages(job)
  const account = new TokenAccount(parts.store, job.id, (await parts.store.jobs.counts(job.id)).llmTokens)
  await using pages = new StoredPages({ ...parts, ledger: account.ledger }, job)
  let progress = await begin(parts, job)
  await parts.store.jobs.revise(job.id, job.spec)
  for (;;) {
    signal.throwIfAborted()
    const tasks = await nextTasks(parts.store, job.id, progress.after)
    if (tasks.length === 0) break
    const batch = new Batch(parts, job, pages, events, progress)
    progress = await batch.run(tasks, signal).finally(() => account.save())
    parts.mark('reextract.after_batch')
    events.progress(progress.done, pages.maker)
  }
  await settleJob(parts, job)
  await parts.store.records.replace(job.id, [], null)
  return progress.done
}

/** Updates the final state of the job, because failed tasks may have succeeded now. Also updates its manifests. */
async function settleJob({ store, blobs }: ReextractParts, { id }: Job): Promise<void> {
  const job = (await store.jobs.get(id))!
  if (!hasEnded(job.state) || job.state === 'cancelled') return
  const state = finalState(await store.jobs.counts(id), job.reason)
  const at = job.finishedAt ?? job.createdAt
  if (state !== job.state) await store.jobs.move(id, [job.state], state, { reason: job.reason, at })
  await writeManifests({ store, blobs }, { ...job, state })
}

/** Counts the model tokens of a re-extraction. These tokens count towards the token budget of the job. */
class TokenAccount {
  readonly ledger
  readonly #store: Store
  readonly #jobId: string
  #counted: number

  constructor(store: Store, jobId: string, spent: number) {
    this.ledger = openLedger(spent)
    this.#store = store
    this.#jobId = jobId
    this.#counted = spent
  }

  async save(): Promise<void> {
    const spent = spentIn(this.ledger)
    if (spent === this.#counted) return
    await this.#store.jobs.spend(this.#jobId, spent - this.#counted)
    this.#counted = spent
  }
}

function refuseWithoutPages(job: Job): void {
  const { raw, layout } = job.spec.results
  const why =
    job.kind === 'map'
      ? 'is a map: it has URLs, and no records'
      : raw === 'none' && layout !== 'items'
        ? 'stored no raw pages (--no-raw, results.raw "none"); crawl it again with raw pages'
        : null
  if (why) throw new Failure('page.not-kept', `job ${job.id} ${why}`, { jobId: job.id })
}

/** Starts a re-extraction, or continues an unfinished one with the same rules. */
async function begin({ store, registry }: ReextractParts, { id, spec }: Job): Promise<Reextraction> {
  const maker = makerPrint(spec, registry.get(spec.scraperId))
  const unfinished = await store.records.reextraction(id)
  const done = { pages: 0, records: 0, rescued: 0, failed: 0, notKept: 0 }
  if (unfinished?.maker === maker) return { ...unfinished, done: { ...done, ...unfinished.done } }
  return { maker, after: 0, done }
}

const nextTasks = (store: Store, jobId: string, after: number): Promise<Task[]> =>
  store.tasks.list(jobId, { states: ['succeeded', 'failed', 'skipped'], after, limit: batchTasks })

/** Failures of tasks whose page was fetched and stored, but not parsed. Parsing may succeed with new rules. */
const unread: ReadonlySet<Reason> = new Set<Reason>([
  'content.unsupported',
  'content.unreadable',
  'extract.site-changed',
  'extract.too-slow',
  'extract.wrong-page-kind',
  'input.invalid',
  'internal.bug',
  'page.not-kept',
  'regex.timeout',
  'scraper.failed',
  'task.deadline',
])

const isReadable = ({ kind, state, reason }: Task): boolean =>
  kind === 'page' && (state === 'succeeded' || (reason !== null && unread.has(reason)))

class Batch {
  readonly #parts: ReextractParts
  readonly #job: Job
  readonly #pages: StoredPages
  readonly #events: ReextractEvents
  readonly #replacements: Replacement[] = []
  readonly #progress: Reextraction

  constructor(
    parts: ReextractParts,
    job: Job,
    pages: StoredPages,
    events: ReextractEvents,
    progress: Reextraction,
  ) {
    this.#parts = parts
    this.#job = job
    this.#pages = pages
    this.#events = events
    this.#progress = { ...progress, done: { ...progress.done } }
  }

  async run(tasks: Task[], signal: AbortSignal): Promise<Reextraction> {
    for (const task of tasks) {
      if (isReadable(task)) await this.#one(task, signal)
      signal.throwIfAborted()
    }
    this.#progress.after = tasks.at(-1)!.n
    await this.#parts.store.records.replace(this.#job.id, this.#replacements, this.#progress)
    return this.#progress
  }

  /** The `way` of the new records: how the page was originally fetched. */
  async #wayOf({ jobId, n }: Task): Promise<string | null> {
    const { records, tasks } = this.#parts.store
    const [before] = await records.ofTask(jobId, n)
    if (before) return withoutWarnings(before.way)
    const way = (await tasks.attempts(jobId, n)).at(-1)?.way
    return way === 'browser' ? JSON.stringify({ way } satisfies PageWay) : null
  }

  async #one(task: Task, signal: AbortSignal): Promise<void> {
    const { done } = this.#progress
    const had = task.state === 'succeeded'
    const exchanges = await this.#runOf(task)
    if (exchanges === null) {
      // The page is not stored. Only a task that had succeeded counts as `notKept`, because a failed task just stays
      // failed.
      if (had) done.notKept++
      return
    }
    const report = await this.#pages.run(task, exchanges, signal)
    const { failure } = report
    const way = failure ? null : await this.#wayOf(task)
    const records = report.records.map(record => ({ ...record, way: withWarnings(way, record.way) }))
    if (failure) {
      done.failed++
      this.#events.failed(taskId(task.jobId, task.n), Failure.from(failure))
      return
    }
    if (this.#job.spec.results.layout === 'items') await this.#rewriteItem(task, exchanges, records)
    done.pages++
    done.records += records.length
    if (!had) done.rescued++
    this.#replacements.push({ n: task.n, records, ...(!had && { rescued: identityOf(report) }) })
  }

  /** The stored exchanges of a task. Null if there are none, or if they cannot be read: retention or a user may have deleted them. */
  async #runOf(task: Task): Promise<WarcExchange[] | null> {
    const attempts = await this.#parts.store.tasks.attempts(task.jobId, task.n)
    const ref = attempts.findLast(attempt => attempt.raw !== null)?.raw
    if (!ref) return null
    return readRun(this.#parts.blobs, ref).catch(error => {
      if (asFailure(error).code.startsWith('storage.')) return null
      throw error
    })
  }

  async #rewriteItem(task: Task, exchanges: WarcExchange[], records: NewRecord[]): Promise<void> {
    const { jobId, n, itemId, url, attempt } = task
    const kept = { page: exchanges.at(-1)!.page, exchanges: beyondPage(exchanges) }
    const ended = task.state === 'succeeded' ? { message: task.message, reason: task.reason ?? 'ok' } : well
    const outcome = { jobId, n, itemId, url, attempt, state: 'succeeded', records } as const
    const artifacts = (await this.#parts.store.tasks.attempts(jobId, n)).at(-1)?.artifacts ?? []
    await writeItem(this.#parts.blobs, { ...outcome, ...ended, ...kept, artifacts })
  }
}

const well = { message: null, reason: 'ok' } as const

const identityOf = ({ canonicalKey, contentKey }: TaskReport) => ({
  canonical: canonicalKey,
  content: contentKey,
})

/** Combines the original fetch mode with the warnings of this extraction. */
function withWarnings(way: string | null, now: string | null): string | null {
  const { way: current, row } = splitWay(now)
  if (!current?.warnings) return way
  const had: PageWay = way === null ? { way: 'http' } : (JSON.parse(way) as PageWay)
  return wayWithRow({ ...had, warnings: current.warnings }, row)
}

function withoutWarnings(way: string | null): string | null {
  if (way === null) return null
  const { warnings, ...had } = JSON.parse(way) as PageWay
  if (!warnings) return way
  return had.way === 'http' && Object.keys(had).length === 1 ? null : JSON.stringify(had)
}
