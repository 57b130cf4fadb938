// Lanes on threads. This side sends batches of tasks, receives reports and answers permit requests.
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Emit } from '../../model/events.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { LaneJob, RobotsReport, TaskBatch, TaskReport } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { Lanes } from '../../pipeline/coordinate/context.ts'
import { robotsFailed } from '../../pipeline/work/fetch-robots.ts'
import type { Runner } from '../../pipeline/work/work-loop.ts'
import type { AskPermit } from '../../ports/permits.ts'
import type { FromLane, LaneStart, ToLane } from './lane-messages.ts'

export interface LaneEvents {
  askPermit: AskPermit
  emit: Emit
  /** Reports of lane number `index`. */
  reported: (index: number, reports: TaskReport[]) => void
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
 *  that a page cannot exhaust the machine. */
const resourceLimits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 128 }

/** Memory limits of a browser lane in MB. They are higher, because browser drivers are large and screenshots are in memory. */
const browserLimits = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 512 }

/** Unanswered pings after which a thread counts as hung. */
const pingsToSilence = 4
/** If this many threads in a row end before their first message, the coordinator fails with their error. */
const mostStillborn = 3
/** A lane stops at once when it gets the message `stop`. If it runs longer than this, it counts as hung. */
const longestStopMs = 5_000
/** The same for the browser lane. It needs more time, because a hung browser is ended in several steps. */
const longestBrowserStopMs = 15_000

/** An on-demand lane ends this long after its last job. */
const idleMs = 60_000

interface ThreadLanesOptions {
  /** A thread that sends nothing for this long counts as hung. */
  silentMs: number
  /** Threads start with the first job and end when no job is left, so that an idle service uses little memory. */
  onDemand?: boolean | undefined
}

export class ThreadLanes implements Lanes {
  readonly #lanes: LaneThread[]
  readonly #jobs = new Set<string>()
  readonly #onDemand: boolean
  #idle: NodeJS.Timeout | null = null
  /** The browser lane. Its thread starts with the first task that needs a browser. */
  readonly #browser: LaneThread
  #turn = 0

  constructor(
    starts: LaneStart[],
    browser: LaneStart,
    events: LaneEvents,
    { silentMs, onDemand = false }: ThreadLanesOptions,
  ) {
    this.#onDemand = onDemand
    this.#lanes = starts.map((start, index) => new LaneThread(start, index, events, silentMs))
    sizeHeaps()
    if (!onDemand) for (const lane of this.#lanes) lane.begin()
    this.#browser = new LaneThread(browser, starts.length, events, silentMs)
  }

  get count(): number {
    return this.#lanes.length
  }

  get runners(): Runner[] {
    return this.#all
  }

  get #all(): LaneThread[] {
    return [...this.#lanes, this.#browser]
  }

  openJob(job: LaneJob): void {
    this.#jobs.add(job.id)
    if (this.#idle) clearTimeout(this.#idle)
    for (const lane of this.#all) lane.openJob(job)
    for (const lane of this.#lanes) lane.begin()
  }

  closeJob(jobId: string): void {
    for (const lane of this.#all) lane.closeJob(jobId)
    this.#jobs.delete(jobId)
    if (this.#onDemand && this.#jobs.size === 0) this.#restSoon()
  }

  #restSoon(): void {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      for (const lane of this.#lanes) lane.rest()
    }, idleMs).unref()
  }

  cancelJob(jobId: string): void {
    for (const lane of this.#all) lane.cancelJob(jobId)
  }

  fetchRobots(origin: string, job: LaneJob, identity: TaskIdentity | null): Promise<RobotsReport> {
    return this.#lanes[this.#turn++ % this.#lanes.length]!.fetchRobots(origin, job, identity)
  }

  tryBrowser(): Promise<boolean> {
    return this.#browser.tryBrowser()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    await Promise.all(this.#all.map(lane => lane.stop()))
  }
}

/** The program sets `--max-semi-space-size` for its main thread, and V8 prefers that flag to the limits of a thread. With so
 *  small a young generation, lanes use 6 % more CPU. The live objects of a lane are mostly code, so by default V8 would
 *  collect the whole heap for every 2 MB that survive. A growth of 50 % costs 10 MB and halves the number of collections. */
function sizeHeaps(): void {
  setFlagsFromString('--max-semi-space-size=0')
  setFlagsFromString('--heap-growing-percent=50')
}

class LaneThread implements Runner {
  readonly #start: LaneStart
  readonly #index: number
  readonly #events: LaneEvents
  readonly #jobs = new Map<string, LaneJob>()
  readonly #robots = new Map<number, { origin: string; answer: PromiseWithResolvers<RobotsReport> }>()
  readonly #trials = new Map<number, (works: boolean) => void>()
  readonly #watch: NodeJS.Timeout
  #worker: Worker | null = null
  #stopped: PromiseWithResolvers<void> | null = null
  #nextId = 1
  /** Pings since the last message of the thread. Counted only after its first message. */
  #unanswered = 0
  #hasSpoken = false
  #stillborn = 0
  #resting: Promise<void> | null = null

  constructor(start: LaneStart, index: number, events: LaneEvents, silentMs: number) {
    this.#start = start
    this.#index = index
    this.#events = events
    this.#watch = setInterval(() => this.#ping(), silentMs / pingsToSilence).unref()
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
    this.#unanswered = 0
    if (message.say === 'reports') this.#events.reported(this.#index, message.reports)
    else if (message.say === 'ask-permit') void this.#answerPermit(message, from)
    else if (message.say === 'event') this.#events.emit(message.name, message.event)
    else if (message.say === 'robots') this.#robotsCame(message.id, message.report)
    else if (message.say === 'browser-tried') this.#browserTried(message.id, message.works)
    else if (message.say === 'stopped') this.#stopped?.resolve()
  }

  /** Answers the thread that sent the request, because its successor may use the same id. */
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
