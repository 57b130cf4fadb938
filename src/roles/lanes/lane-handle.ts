// The main thread's side of one lane on its own thread: starts the thread, replaces it if it dies, and talks to it.
import type { EventLoopUtilization } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Emit } from '../../model/events.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { JobLimit, LaneJob, RobotsReport, TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import { robotsFailed } from '../../pipeline/work/fetch-robots.ts'
import type { Runner } from '../../pipeline/work/work-loop.ts'
import type { AskPermit } from '../../ports/permits.ts'
import type { FromLane, LaneStart, ToLane } from './lane-messages.ts'

export interface LaneEvents {
  askPermit: AskPermit
  emit: Emit
  /** Reports of lane number `index`. */
  reported: (index: number, reports: TaskReport[]) => void
  /** A lane returned tasks that it had not started. */
  returned: (index: number, tasks: TimedTask[]) => void
  /** Other lanes returned these tasks; lane number `index` must run them. */
  moved: (index: number, tasks: TimedTask[]) => void
  /** A thread ended unexpectedly. `hadBegun`: whether it had sent a message before. */
  died: (index: number, error: Error, hadBegun: boolean) => void
  /** Several threads in a row ended before their first message. */
  broken: (error: Error) => void
}

/** A checkout runs the TypeScript sources; the published package contains JavaScript. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './lane-thread.ts' : './lane-thread.js',
  import.meta.url,
)

/** Memory limits of a lane in MB. A lane has much short-lived data and few live objects. The old generation is limited, so
 *  that a page cannot exhaust the machine. With a young generation of 12 MB, more objects of requests in flight moved to the old
 *  one. A crawl then had 33 instead of 4 full collections, and used 10 % more CPU time. */
const resourceLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 128 }

/** Memory limits of a browser lane in MB. They are higher, because browser drivers are large and screenshots are in memory. */
const browserLimits = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 512 }

/** Unanswered pings after which a thread counts as hung. */
const pingsToSilence = 4
/** If this many threads in a row end before their first message, the coordinator fails with their error. */
const mostStillborn = 3
/** A lane stops at once when it gets the message `stop`. If it runs longer than this, it counts as hung. */
const longestStopMs = 5_000
/** The same limit for the browser lane. It is longer, because a hung browser is ended in several steps. */
const longestBrowserStopMs = 15_000

export class LaneHandle implements Runner {
  readonly #start: LaneStart
  readonly #index: number
  readonly #events: LaneEvents
  readonly #jobs = new Map<string, LaneJob>()
  readonly #robots = new Map<number, { origin: string; answer: PromiseWithResolvers<RobotsReport> }>()
  readonly #trials = new Map<number, (works: boolean) => void>()
  readonly #limits = new Map<number, (returned: TimedTask[]) => void>()
  readonly #watch: NodeJS.Timeout
  #worker: Worker | null = null
  #stopped: PromiseWithResolvers<void> | null = null
  #nextId = 1
  /** Number of pings since the last message of the thread. Pings are counted only after its first message. */
  #unanswered = 0
  #hasSpoken = false
  #ready = Promise.withResolvers<void>()
  #cpuMs = 0
  #stillborn = 0
  #resting: Promise<void> | null = null

  constructor(start: LaneStart, index: number, events: LaneEvents, silentMs: number) {
    this.#start = start
    this.#index = index
    this.#events = events
    this.#watch = setInterval(() => this.#ping(), silentMs / pingsToSilence).unref()
  }

  /** The CPU time of the thread until its last report or pong. */
  get cpuMs(): number {
    return this.#cpuMs
  }

  /** How busy the event loop of the thread is; null if the thread does not run. */
  utilization(since?: EventLoopUtilization): EventLoopUtilization | null {
    if (!this.#worker) return null
    const now = this.#worker.performance.eventLoopUtilization()
    return since ? this.#worker.performance.eventLoopUtilization(now, since) : now
  }

  /** Starts the thread and resolves when it can run tasks. */
  ready(): Promise<void> {
    this.begin()
    return this.#ready.promise
  }

  /** Starts the thread on first use. Later calls do nothing. */
  begin(): void {
    if (this.#worker || this.#stopped) return
    this.#worker = this.#spawn()
    for (const job of this.#jobs.values()) this.#tell({ say: 'open-job', job })
  }

  /** Starts a thread. It is replaced only after its exit, so that its last messages are handled first. */
  #spawn(): Worker {
    const worker = new Worker(threadFile, {
      workerData: this.#start,
      resourceLimits: this.#start.browser ? browserLimits : resourceLimits,
    })
    let cause: Error | null = null
    worker.on('message', (message: FromLane) => this.#heard(message, worker))
    worker.on('error', error => {
      cause = error as Error
    })
    worker.on('exit', code => this.#died(cause ?? new Error(`its thread ended with code ${code}`)))
    this.#hasSpoken = false
    this.#unanswered = 0
    this.#cpuMs = 0
    return worker
  }

  /** Counts pings instead of time, because a pause of the main thread must not count against the lane. */
  #ping(): void {
    if (this.#hasSpoken && ++this.#unanswered > pingsToSilence) void this.#worker?.terminate()
    else this.#tell({ say: 'ping' })
  }

  /** The tasks of the dead thread are lost. They are retried on a new thread. */
  #died(error: Error): void {
    const failure = new Failure('worker.stopping', `the worker ended: ${error.message}`, {}, { cause: error })
    for (const { origin, answer } of this.#robots.values())
      answer.resolve(robotsFailed(origin, Date.now(), failure))
    this.#robots.clear()
    for (const id of this.#trials.keys()) this.#browserTried(id, false)
    for (const id of this.#limits.keys()) this.#limited(id, [])
    if (this.#stopped) this.#stopped.resolve()
    else this.#replace(error)
  }

  #replace(error: Error): void {
    const hadBegun = this.#hasSpoken
    this.#stillborn = hadBegun ? 0 : this.#stillborn + 1
    if (this.#stillborn >= mostStillborn) this.#events.broken(error)
    this.#worker = null
    this.begin()
    this.#events.died(this.#index, error, hadBegun)
  }

  #tell(message: ToLane): void {
    this.#worker?.postMessage(message)
  }

  #heard(message: FromLane, from: Worker): void {
    this.#hasSpoken = true
    this.#ready.resolve()
    this.#unanswered = 0
    if ('cpuMs' in message) this.#cpuMs = message.cpuMs
    if (message.say === 'reports') this.#events.reported(this.#index, message.reports)
    else if (message.say === 'ask-permit') void this.#answerPermit(message, from)
    else if (message.say === 'event') this.#events.emit(message.name, message.event)
    else if (message.say === 'robots') this.#robotsCame(message.id, message.report)
    else if (message.say === 'browser-tried') this.#browserTried(message.id, message.works)
    else if (message.say === 'limited') this.#limited(message.id, message.returned)
    else if (message.say === 'stopped') this.#stopped?.resolve()
  }

  /** Answers only the thread that sent the request, because a new thread may use the same request id. */
  async #answerPermit({ id, request }: FromLane & { say: 'ask-permit' }, from: Worker): Promise<void> {
    const failure = await this.#events.askPermit(request, neverAborted).then(
      () => null,
      error => asFailure(error).toJSON(),
    )
    from.postMessage({ say: 'permit', id, failure } satisfies ToLane)
  }

  #robotsCame(id: number, report: RobotsReport): void {
    this.#robots.get(id)?.answer.resolve(report)
    this.#robots.delete(id)
  }

  #browserTried(id: number, works: boolean): void {
    this.#trials.get(id)?.(works)
    this.#trials.delete(id)
  }

  #limited(id: number, returned: TimedTask[]): void {
    if (returned.length > 0) this.#events.returned(this.#index, returned)
    this.#limits.get(id)?.(returned)
    this.#limits.delete(id)
  }

  openJob(job: LaneJob): void {
    this.#jobs.set(job.id, job)
    this.#tell({ say: 'open-job', job })
  }

  closeJob(jobId: string): void {
    this.#jobs.delete(jobId)
    this.#tell({ say: 'close-job', jobId })
  }

  cancelJob(jobId: string): void {
    this.#jobs.delete(jobId)
    this.#tell({ say: 'cancel-job', jobId })
  }

  /** Changes the limits of open jobs. When the running tasks are within the new limits, resolves with a part of the lane's
   *  waiting tasks. */
  limitJobs(limits: JobLimit[], part: number): Promise<TimedTask[]> {
    for (const limit of limits) {
      const job = this.#jobs.get(limit.id)
      if (job) this.#jobs.set(limit.id, { ...job, ...limit })
    }
    if (!this.#worker) return Promise.resolve([])
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<TimedTask[]>()
    this.#limits.set(id, resolve)
    this.#tell({ say: 'limit-jobs', id, limits, part })
    return promise
  }

  run(batch: TaskBatch): void {
    this.begin()
    this.#tell({ say: 'run', batch })
  }

  fetchRobots(origin: string, job: LaneJob, identity: TaskIdentity | null): Promise<RobotsReport> {
    if (this.#stopped)
      return Promise.resolve(
        robotsFailed(origin, Date.now(), new Failure('worker.stopping', 'the worker is stopping')),
      )
    const id = this.#nextId++
    const answer = Promise.withResolvers<RobotsReport>()
    this.#robots.set(id, { origin, answer })
    this.#tell({ say: 'fetch-robots', id, jobId: job.id, origin, identity })
    return answer.promise
  }

  tryBrowser(): Promise<boolean> {
    this.begin()
    if (this.#stopped) return Promise.resolve(false)
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#trials.set(id, resolve)
    this.#tell({ say: 'try-browser', id })
    return promise
  }

  /** Ends the thread while no job needs it. `begin` starts a new one. */
  rest(): void {
    const worker = this.#worker
    if (!worker || this.#stopped) return
    this.#worker = null
    this.#ready = Promise.withResolvers<void>()
    // This exit is expected, so it is not reported, and no new thread starts.
    worker.removeAllListeners('exit')
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()))
    worker.postMessage({ say: 'stop' } satisfies ToLane)
    this.#resting = endWithin(worker, ended, longestStopMs)
  }

  async stop(): Promise<void> {
    this.#stopped ??= Promise.withResolvers<void>()
    clearInterval(this.#watch)
    await this.#resting
    if (!this.#worker) return
    this.#tell({ say: 'stop' })
    const longest = this.#start.browser ? longestBrowserStopMs : longestStopMs
    await endWithin(this.#worker, this.#stopped.promise, longest)
  }
}

async function endWithin(worker: Worker, ended: Promise<void>, longestMs: number): Promise<void> {
  await Promise.race([ended, wait(longestMs, undefined, { ref: false })])
  await worker.terminate()
}

const neverAborted = new AbortController().signal
