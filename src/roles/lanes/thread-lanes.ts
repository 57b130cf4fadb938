// Lanes on threads. Their number can follow the load: it starts with one lane, and more lanes start when the lanes are the bottleneck.
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import type { LaneJob, RobotsReport } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { Lanes } from '../../pipeline/coordinate/context.ts'
import type { Runner } from '../../pipeline/work/work-loop.ts'
import { type LaneEvents, LaneHandle } from './lane-handle.ts'
import { LoadWindow, needsAnotherLane } from './lane-load.ts'
import type { LaneStart } from './lane-messages.ts'
import { forOneOf, limitOf } from './lane-share.ts'

/** An on-demand lane ends this long after its last job. */
const idleMs = 60_000

interface ThreadLanesOptions {
  /** A thread that sends nothing for this long counts as hung. */
  silentMs: number
  /** Threads start with the first job and end when no job is left, so that an idle service uses little memory. */
  onDemand?: boolean | undefined
  /** Only one lane runs at first. The other lanes start when the load needs them. */
  followsLoad?: boolean | undefined
}

export class ThreadLanes implements Lanes {
  readonly #lanes: LaneHandle[]
  /** Open jobs: tasks of these jobs may arrive. */
  readonly #open = new Map<string, LaneJob>()
  /** Jobs that are not closed yet, cancelled jobs included. */
  readonly #jobs = new Set<string>()
  readonly #events: LaneEvents
  readonly #onDemand: boolean
  readonly #fewest: number
  #idle: NodeJS.Timeout | null = null
  /** The browser lane. Its thread starts with the first task that needs a browser. */
  readonly #browser: LaneHandle
  #turn = 0
  /** The first `#count` lanes get tasks. */
  #count: number
  /** The number of lanes that share the limits of the jobs. When a lane is added, the other lanes lower their limits first.
   *  So this number grows before `#count`. */
  #sharing: number
  #isAdding = false
  /** Opens with the first report, so that the start of a thread does not count as load. */
  #window: LoadWindow | null = null

  constructor(
    starts: LaneStart[],
    browser: LaneStart,
    events: LaneEvents,
    { silentMs, onDemand = false, followsLoad = false }: ThreadLanesOptions,
  ) {
    this.#events = events
    this.#onDemand = onDemand
    this.#fewest = followsLoad ? 1 : starts.length
    this.#count = this.#fewest
    this.#sharing = this.#fewest
    const measured: LaneEvents = {
      ...events,
      reported: (index, reports) => {
        events.reported(index, reports)
        this.#followLoad()
      },
      died: (index, error, hadBegun) => {
        this.#window = null
        events.died(index, error, hadBegun)
      },
    }
    this.#lanes = starts.map((start, index) => new LaneHandle(start, index, measured, silentMs))
    sizeHeaps()
    if (!onDemand) for (const lane of this.#used) lane.begin()
    this.#browser = new LaneHandle(browser, starts.length, events, silentMs)
  }

  get count(): number {
    return this.#count
  }

  get runners(): Runner[] {
    return this.#all
  }

  get #all(): LaneHandle[] {
    return [...this.#lanes, this.#browser]
  }

  get #used(): LaneHandle[] {
    return this.#lanes.slice(0, this.#count)
  }

  openJob(job: LaneJob): void {
    this.#jobs.add(job.id)
    this.#open.set(job.id, job)
    if (this.#idle) clearTimeout(this.#idle)
    this.#browser.openJob(forOneOf(job, this.#lanes.length))
    for (const lane of this.#used) {
      lane.openJob(forOneOf(job, this.#sharing))
      lane.begin()
    }
  }

  closeJob(jobId: string): void {
    for (const lane of this.#all) lane.closeJob(jobId)
    this.#open.delete(jobId)
    this.#jobs.delete(jobId)
    if (this.#onDemand && this.#jobs.size === 0) this.#restSoon()
  }

  #restSoon(): void {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#isAdding) return this.#restSoon()
      for (const lane of this.#lanes) lane.rest()
      this.#count = this.#fewest
      this.#sharing = this.#fewest
      this.#window = null
    }, idleMs).unref()
  }

  cancelJob(jobId: string): void {
    this.#open.delete(jobId)
    for (const lane of this.#all) lane.cancelJob(jobId)
  }

  /** Starts another lane if the lanes are the bottleneck and cores are free. */
  #followLoad(): void {
    if (this.#count === this.#lanes.length || this.#isAdding) return
    this.#window ??= new LoadWindow(this.#used)
    const load = this.#window.load()
    if (!load) return
    this.#window = null
    if (needsAnotherLane(load, availableParallelism())) void this.#addLane()
  }

  /** Starts a lane. When its thread is ready, the other lanes get smaller shares and return a part of their waiting tasks.
   *  The new lane gets tasks only when the other lanes are within their shares. So all lanes together never exceed the
   *  limits of a job. */
  async #addLane(): Promise<void> {
    const added = this.#count
    const lanes = added + 1
    this.#isAdding = true
    await this.#lanes[added]!.ready()
    this.#sharing = lanes
    const limits = [...this.#open.values()].map(job => limitOf(job, lanes))
    const returned = await Promise.all(this.#used.map(lane => lane.limitJobs(limits, 1 / lanes)))
    for (const job of this.#open.values()) this.#lanes[added]!.openJob(forOneOf(job, lanes))
    this.#count = lanes
    this.#isAdding = false
    if (returned.flat().length > 0) this.#events.moved(added, returned.flat())
  }

  fetchRobots(origin: string, job: LaneJob, identity: TaskIdentity | null): Promise<RobotsReport> {
    return this.#lanes[this.#turn++ % this.#count]!.fetchRobots(origin, job, identity)
  }

  tryBrowser(): Promise<boolean> {
    return this.#browser.tryBrowser()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    await Promise.all(this.#all.map(lane => lane.stop()))
  }
}

/** Sizes the heaps of lanes. The program sets `--max-semi-space-size` for its main thread, and V8 prefers that flag to
 *  the limits of a thread. Lanes would then have a small young generation and use 6 % more CPU. Most live objects of a
 *  lane are code, so by default V8 would collect the whole heap for every 2 MB that survive. A growth of 50 % costs 10
 *  MB and halves the number of collections. */
function sizeHeaps(): void {
  setFlagsFromString('--max-semi-space-size=0')
  setFlagsFromString('--heap-growing-percent=50')
}
