// A lane: fetches and parses on one thread. Tasks arrive in batches, and reports leave in groups, after their raw pages are durable.
import type { LlmSettings } from '../../../extract/llm/client.ts'
import { InFlight } from '../../../fetch/http/in-flight.ts'
import type { Emit } from '../../../model/events.ts'
import { asFailure, Failure, failures } from '../../../model/failures.ts'
import type {
  JobLimit,
  LaneJob,
  RobotsReport,
  TaskBatch,
  TaskReport,
  TimedTask,
} from '../../../model/lane.ts'
import type { BlobRef, Page, TakeSlot } from '../../../model/page/page.ts'
import type { TaskIdentity } from '../../../model/policy/proxy.ts'
import type { Artifact, KeptArtifact } from '../../../model/policy/rendering.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Bus } from '../../../ports/bus.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AskPermit } from '../../../ports/permits.ts'
import { keepArtifacts } from '../../../results/artifacts.ts'
import { writeItem } from '../../../results/items.ts'
import type { PendingRef, SegmentWriter } from '../../../results/segment-writer.ts'
import type { WarcExchange } from '../../../results/warc-exchanges.ts'
import { browserConnection } from '../../../scraper/builtin/browser-connection.ts'
import type { Scraper } from '../../../scraper/define-scraper.ts'
import { emitFetchSpan } from '../../coordinate/spans.ts'
import { fetchRobots, robotsFailed } from '../fetch-robots.ts'
import { runFetchTask } from '../run-fetch-task.ts'
import { cutShort, failedReport, stopped, type TaskResult } from '../task-report.ts'
import type { LaneBrowser } from './job-browser.ts'
import { type HttpSettings, OpenJob, type OpenJobParts } from './open-job.ts'
import { LaneSlots, type OnLate, TaskSlot } from './slots.ts'

export interface LaneParts {
  clock: Clock
  blobs: Blobs
  askPermit: AskPermit
  http: HttpSettings
  scraper: (id: string) => Scraper
  llm?: LlmSettings | null
  golden?: OpenJobParts['golden']
  browserVersion?: OpenJobParts['browserVersion']
  /** Receives finished reports, a group at a time. */
  report: (reports: TaskReport[]) => void
  /** Name of this lane in segment files and attempts. */
  name: string
  /** Set if this lane loads pages in a browser. The pool then limits how many tasks run at once. */
  browser?: LaneBrowser
  sessions?: OpenJobParts['sessions']
  budgetOf?: OpenJobParts['budgetOf']
  credentials?: OpenJobParts['credentials']
  reader?: OpenJobParts['reader']
  /** If true, another process parses stored pages that were fetched over HTTP. */
  leavesReading?: boolean
  /** Called right before a task starts. Returns false if this worker may have lost the lease of the task. */
  mayBegin?: (task: TimedTask) => boolean
  /** Called when a request is sent later than its slot. Set only if other processes send requests to the same hosts. */
  onLate?: OnLate | undefined
  /** Called when the requests of a task have ended. The report of the task is delivered later, in a group. */
  ended?: ((job: LaneJob, task: TimedTask, report: TaskReport) => void) | undefined
  /** Receives events, such as ended spans. */
  emit?: Emit
  /** Connects the browsers of this lane to the clients that control them. */
  bus?: Bus | undefined
  /** Set if another process receives the reports, so that groups should be larger. Default: `usualGathering`. */
  gather?: Gathering
}

/** A group is delivered after `ms` or at `count` reports. A group needs one append to the segment and one message. `lastMs`
 *  replaces `ms` if waiting longer is useless; see `#isLast`. */
interface Gathering {
  ms: number
  count: number
  lastMs: number
}

const usualGathering: Gathering = { ms: 20, count: 64, lastMs: 1 }

interface Finished {
  report: TaskReport
  task: TimedTask
  job: OpenJob | null
  page: Page | null
  exchanges: readonly WarcExchange[] | null
  artifacts: readonly Artifact[]
  raw: PendingRef | null
}

export class Lane {
  #parts: LaneParts
  #jobs = new Map<string, OpenJob>()
  #finished: Finished[] = []
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()
  readonly #slots: LaneSlots
  readonly #inFlight = new InFlight()
  #stop = new AbortController()
  #running = new Set<Promise<void>>()
  #closing: Promise<void> = Promise.resolve()
  readonly #stops = new WeakMap<OpenJob, AbortController>()
  /** Earlier versions of jobs that were reopened or cancelled and still have tasks in flight. */
  readonly #replaced = new Set<OpenJob>()

  constructor(parts: LaneParts) {
    this.#parts = parts
    this.#slots = new LaneSlots(parts.clock, parts.onLate)
  }

  openJob(job: LaneJob): void {
    if (this.#jobs.has(job.id)) return
    const stop = new AbortController()
    if (this.#stop.signal.aborted) stop.abort(this.#stop.signal.reason)
    const parts = { ...this.#parts, inFlight: this.#inFlight, signal: stop.signal }
    const opened = new OpenJob(job, parts)
    this.#stops.set(opened, stop)
    this.#jobs.set(job.id, opened)
    this.#boundRequests()
  }

  /** Limits the requests in flight of all jobs together. The limit is the largest limit of a single job. */
  #boundRequests(): void {
    const asked = [...this.#jobs.values()].map(({ job }) => job.inFlight ?? Number.POSITIVE_INFINITY)
    if (asked.length > 0) this.#inFlight.most = Math.max(...asked)
  }

  /** Changes the limits of open jobs. Resolves when the tasks and requests above the new limits have ended. */
  async limitJobs(limits: JobLimit[]): Promise<void> {
    for (const limit of limits) {
      const open = this.#jobs.get(limit.id)
      if (open) open.job = { ...open.job, ...limit }
    }
    this.#boundRequests()
    while (this.#isAboveLimits) await Promise.race(this.#running)
  }

  /** Returns a part of the waiting tasks of each job, for another lane. Tasks of hosts with a rate stay, because this lane spaces
   *  them. */
  returnTasks(part: number): TimedTask[] {
    return [...this.#jobs.values()].flatMap(({ backlog }) => {
      const free = backlog.filter(({ gapMs }) => gapMs === 0)
      const returned = new Set(free.slice(free.length - Math.floor(free.length * part)))
      const kept = backlog.filter(task => !returned.has(task))
      backlog.splice(0, backlog.length, ...kept)
      return [...returned]
    })
  }

  get #isAboveLimits(): boolean {
    if (this.#running.size === 0) return false
    return this.#inFlight.isAbove || this.#jobs.values().some(({ job, running }) => running > job.slots)
  }

  /** Fetches robots.txt for an open job. Lanes on threads and in worker processes use the same code. */
  async fetchRobots(jobId: string, origin: string, identity: TaskIdentity | null): Promise<RobotsReport> {
    const job = this.#jobs.get(jobId)
    if (job) return fetchRobots(this.#parts, job, origin, identity)
    const closed = new Failure('worker.stopping', 'the job is closed')
    return robotsFailed(origin, this.#parts.clock.now(), closed)
  }

  /** Opens a job again with a changed spec. New tasks use the new spec; tasks in flight keep the old one. */
  renewJob(job: LaneJob): void {
    const before = this.#jobs.get(job.id)
    if (!before) return
    this.#jobs.delete(job.id)
    this.openJob(job)
    this.#jobs.get(job.id)!.backlog.push(...before.backlog.splice(0))
    this.#closeWhenIdle(before)
    this.#fillAll()
  }

  /**
   * Aborts the requests, pages and waits of a job; its tasks report `job.cancelled`. The job is then closed, and tasks that
   * arrive later are returned.
   */
  cancelJob(jobId: string): void {
    const reason = new Failure('job.cancelled', 'the job was cancelled', { jobId })
    const current = this.#jobs.get(jobId)
    const older = [...this.#replaced].filter(({ job }) => job.id === jobId)
    for (const job of older) this.#stops.get(job)?.abort(reason)
    if (!current) return
    this.#jobs.delete(jobId)
    this.#boundRequests()
    this.#stops.get(current)?.abort(reason)
    for (const task of current.backlog.splice(0)) this.#finish(task, this.#failed(task, reason), current)
    this.#closeWhenIdle(current)
  }

  #closeWhenIdle(job: OpenJob): void {
    if (job.running === 0) this.#close(job)
    else this.#replaced.add(job)
  }

  #close(job: OpenJob | undefined): void {
    this.#closing = Promise.all([this.#closing, job?.[Symbol.asyncDispose]()]).then(() => {})
  }

  /** Closes a job. The lane remembers the returned promise, so that closing the lane waits for it. */
  closeJob(jobId: string): Promise<void> {
    const job = this.#jobs.get(jobId)
    this.#jobs.delete(jobId)
    this.#boundRequests()
    this.#close(job)
    return this.#closing
  }

  job(jobId: string): OpenJob | undefined {
    return this.#jobs.get(jobId)
  }

  /** Runs the tasks of a batch. Tasks beyond the job's concurrency wait in this lane, so that the lane is never idle. */
  run(batch: TaskBatch): void {
    for (const task of batch.tasks) {
      const job = this.#jobs.get(task.jobId)
      if (job) job.backlog.push(task)
      else this.#finish(task, this.#failed(task, notOpen(task)), null)
    }
    this.#fillAll()
  }

  /** Starts waiting tasks. The job with the fewest running tasks is first, so that a large job does not take all browser pages. */
  #fillAll(): void {
    for (const job of [...this.#jobs.values()].sort((a, b) => a.running - b.running)) this.#fill(job)
  }

  /** Whether another task may run. Clients that control browsers may use only a part of the browser pages; the other pages
   *  are for jobs. */
  #hasRoomFor({ scraper }: OpenJob): boolean {
    const { browser } = this.#parts
    if (!browser) return true
    if (this.#running.size >= browser.fetch.stats().total) return false
    return scraper !== browserConnection || this.#connections < browser.clientSeats
  }

  get #connections(): number {
    const open = [...this.#jobs.values(), ...this.#replaced]
    return open.reduce((sum, { scraper, running }) => sum + (scraper === browserConnection ? running : 0), 0)
  }

  #fill(job: OpenJob): void {
    while (job.running < job.job.slots && job.backlog.length > 0 && this.#hasRoomFor(job)) {
      job.running++
      const running = this.#runOne(job, job.backlog.shift()!).finally(() => {
        job.running--
        if (job.running === 0 && this.#replaced.delete(job)) this.#close(job)
        this.#running.delete(running)
        if (this.#parts.browser) this.#fillAll()
        else this.#fill(job)
      })
      this.#running.add(running)
    }
  }

  async #runOne(job: OpenJob, task: TimedTask): Promise<void> {
    try {
      const result = task.gapMs > 0 ? await this.#runInSlot(job, task) : await this.#begin(job, task)
      if (task.identity)
        result.report.identity = job.identitiesFor(task).report(task.identity, {
          url: task.url,
          failure: result.report.failure,
          way: task.way,
        })
      this.#finish(task, result, job)
    } catch (error) {
      const { signal } = job
      this.#finish(task, this.#failed(task, signal.aborted ? cutShort(task, signal) : error), job)
    }
  }

  /** Waits for the slot of a task and runs the task. A request that misses its slot requests another one. */
  async #runInSlot(job: OpenJob, task: TimedTask): Promise<TaskResult> {
    const { signal } = job
    const ask = (lapsed: number) => this.#askForSlot(task, lapsed, signal)
    using slot = new TaskSlot(this.#slots, task, ask, signal)
    await slot.come()
    return await this.#begin(job, task, slot.take)
  }

  async #askForSlot(task: TimedTask, lapsed: number, signal: AbortSignal): Promise<number> {
    const { jobId, n, url } = task
    const request = { jobId, n, url, purpose: 'extra', lapsed } as const
    const goodUntil = await this.#parts.askPermit(request, signal)
    this.#judgeHeld(task)
    return goodUntil
  }

  async #begin(job: OpenJob, task: TimedTask, slot?: TakeSlot): Promise<TaskResult> {
    this.#judgeHeld(task)
    return runFetchTask(slot ? { ...this.#parts, slot } : this.#parts, job, task, job.signal)
  }

  #judgeHeld(task: TimedTask): void {
    if (this.#parts.mayBegin?.(task) === false) throw stopped(task)
  }

  #failed(task: TimedTask, error: unknown): TaskResult {
    return { report: failedReport(task, error, this.#parts.clock.now()), page: null }
  }

  #finish(task: TimedTask, result: TaskResult, job: OpenJob | null): void {
    const { report, page, exchanges = null, artifacts = [] } = result
    const raw = job?.segments && page ? keepIn(job.segments, page, exchanges) : null
    const item = job?.keepsItems ? { page, exchanges } : nothingKept
    this.#finished.push({ report, task, job, ...item, artifacts, raw })
    if (job) this.#parts.ended?.(job.job, task, report)
    if (task.trace && this.#parts.emit) emitFetchSpan(this.#parts.emit, task, report, page)
    const { ms, count, lastMs } = this.#parts.gather ?? usualGathering
    if (this.#finished.length >= count || task.isAwaited) this.#flush()
    else if (this.#isLast(job)) this.#flushIn(lastMs)
    else this.#timer ??= setTimeout(() => this.#flush(), ms)
  }

  #flushIn(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#flush(), ms)
  }

  /** Whether waiting for a larger group is useless. In this process, that is the case if no other task of the job is in this
   *  lane: the next tasks may be released only after this report. Messages to other processes cost more, so there it
   *  applies only if the lane has no other task at all. */
  #isLast(job: OpenJob | null): boolean {
    if (!this.#parts.gather) return job !== null && job.running <= 1 && job.backlog.length === 0
    return this.#running.size <= 1 && this.#jobs.values().every(({ backlog }) => backlog.length === 0)
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#flushing = this.#flushing.then(() => this.#deliver())
  }

  /** Delivers finished reports. Raw pages are stored first, because the receiver of a report must find the page. */
  async #deliver(): Promise<void> {
    const group = this.#finished.splice(0)
    if (group.length === 0) return
    for (const [job, finished] of Map.groupBy(group, one => one.job)) await this.#keepRaw(job, finished)
    this.#parts.report(group.map(finished => finished.report))
  }

  async #keepRaw(job: OpenJob | null, finished: Finished[]): Promise<void> {
    try {
      await job?.segments?.flush()
      for (const one of finished) {
        if (one.artifacts.length > 0) one.report.artifacts = await this.#keepArtifacts(one)
        one.report.raw = job?.keepsItems ? await this.#keepItem(one) : (one.raw?.ref ?? null)
      }
    } catch (error) {
      const failure = asFailure(error).toJSON()
      job?.admitter.forget()
      for (const { report, raw, artifacts } of finished)
        if ((raw || job?.keepsItems || artifacts.length > 0) && !report.failure)
          Object.assign(report, withoutResults, { failure })
    }
  }

  #keepArtifacts({ task, job, artifacts }: Finished): Promise<KeptArtifact[]> {
    return keepArtifacts(this.#parts.blobs, { ...task, inItem: job?.keepsItems ?? false }, artifacts)
  }

  #keepItem({ report, task, page, exchanges }: Finished): Promise<BlobRef | null> {
    const { failure, records } = report
    return writeItem(this.#parts.blobs, {
      jobId: task.jobId,
      n: task.n,
      itemId: task.itemId,
      url: task.url,
      attempt: task.attempt,
      state: failure ? failures[failure.code].ends : 'succeeded',
      reason: failure?.code ?? 'ok',
      message: failure?.message ?? null,
      page,
      exchanges,
      records,
      ...(report.artifacts && { artifacts: report.artifacts }),
    })
  }

  /** Aborts running tasks, and delivers finished reports. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Failure('worker.stopping', 'the worker is stopping'))
    for (const job of [...this.#jobs.values(), ...this.#replaced])
      this.#stops.get(job)?.abort(this.#stop.signal.reason)
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
    this.#flush()
    await this.#flushing
    for (const jobId of this.#jobs.keys()) void this.closeJob(jobId)
    await this.#closing
  }
}

const notOpen = (task: TimedTask): Failure =>
  new Failure('worker.stopping', `job ${task.jobId} is not open in this lane`)

const nothingKept = { page: null, exchanges: null }

const keepIn = (
  segments: SegmentWriter,
  page: Page,
  exchanges: readonly WarcExchange[] | null,
): PendingRef => (exchanges ? segments.addRun(exchanges) : segments.add(page))

const withoutResults = { records: [], links: null, sitemaps: [] }
