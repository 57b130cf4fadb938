// Lanes on threads of their own: batches go out, reports come back, permits are answered from here.
import { Worker } from 'node:worker_threads'
import { asFailure, Failure } from '../model/failures.ts'
import type { LaneJob, RobotsReport, TaskBatch, TaskReport } from '../model/lane.ts'
import type { Lanes } from '../pipeline/desk.ts'
import { robotsFailed } from '../pipeline/fetch-robots.ts'
import type { Runner } from '../pipeline/work-loop.ts'
import type { AskPermit } from '../ports/permits.ts'
import type { FromLane, LaneStart, ToLane } from './lane-messages.ts'

export interface LaneEvents {
  askPermit: AskPermit
  /** Reports of lane number `index`. */
  reported: (index: number, reports: TaskReport[]) => void
  /** A thread ended that was not asked to. */
  died: (index: number, error: Error) => void
}

/** In a checkout the sources run as they are; the published package has JavaScript. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './lane-thread.ts' : './lane-thread.js',
  import.meta.url,
)

/** A lane makes much short-lived garbage and keeps little: a small young generation costs no speed and saves 100 MB a lane. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 }

export class ThreadLanes implements Lanes {
  readonly #lanes: LaneThread[]
  #turn = 0

  constructor(starts: LaneStart[], events: LaneEvents) {
    this.#lanes = starts.map((start, index) => new LaneThread(start, index, events))
  }

  get count(): number {
    return this.#lanes.length
  }

  get runners(): Runner[] {
    return this.#lanes
  }

  openJob(job: LaneJob): void {
    for (const lane of this.#lanes) lane.openJob(job)
  }

  closeJob(jobId: string): void {
    for (const lane of this.#lanes) lane.closeJob(jobId)
  }

  fetchRobots(origin: string, job: LaneJob): Promise<RobotsReport> {
    return this.#lanes[this.#turn++ % this.#lanes.length]!.fetchRobots(origin, job)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#lanes.map(lane => lane.stop()))
  }
}

class LaneThread implements Runner {
  readonly #start: LaneStart
  readonly #index: number
  readonly #events: LaneEvents
  readonly #jobs = new Map<string, LaneJob>()
  readonly #robots = new Map<number, { origin: string; answer: PromiseWithResolvers<RobotsReport> }>()
  #worker: Worker
  #stopped: PromiseWithResolvers<void> | null = null
  #nextId = 1

  constructor(start: LaneStart, index: number, events: LaneEvents) {
    this.#start = start
    this.#index = index
    this.#events = events
    this.#worker = this.#spawn()
  }

  #spawn(): Worker {
    const worker = new Worker(threadFile, { workerData: this.#start, resourceLimits })
    worker.on('message', (message: FromLane) => this.#heard(message))
    worker.on('error', error => this.#died(error as Error))
    worker.on('exit', () => this.#stopped?.resolve())
    return worker
  }

  /** The tasks it held are failed as a bug of ours and tried again by a fresh thread. */
  #died(error: Error): void {
    for (const { origin, answer } of this.#robots.values())
      answer.resolve(robotsFailed(origin, Date.now(), error))
    this.#robots.clear()
    if (this.#stopped) return this.#stopped.resolve()
    this.#worker = this.#spawn()
    for (const job of this.#jobs.values()) this.#tell({ say: 'open-job', job })
    this.#events.died(this.#index, error)
  }

  #tell(message: ToLane): void {
    this.#worker.postMessage(message)
  }

  #heard(message: FromLane): void {
    if (message.say === 'reports') this.#events.reported(this.#index, message.reports)
    else if (message.say === 'ask-permit')
      void this.#answerPermit(message.id, this.#events.askPermit(message.request, neverAborted))
    else if (message.say === 'robots') this.#robotsCame(message.id, message.report)
    else this.#stopped?.resolve()
  }

  async #answerPermit(id: number, permit: Promise<void>): Promise<void> {
    const failure = await permit.then(
      () => null,
      error => asFailure(error).toJSON(),
    )
    this.#tell({ say: 'permit', id, failure })
  }

  #robotsCame(id: number, report: RobotsReport): void {
    this.#robots.get(id)?.answer.resolve(report)
    this.#robots.delete(id)
  }

  openJob(job: LaneJob): void {
    this.#jobs.set(job.id, job)
    this.#tell({ say: 'open-job', job })
  }

  closeJob(jobId: string): void {
    this.#jobs.delete(jobId)
    this.#tell({ say: 'close-job', jobId })
  }

  run(batch: TaskBatch): void {
    this.#tell({ say: 'run', batch })
  }

  fetchRobots(origin: string, job: LaneJob): Promise<RobotsReport> {
    if (this.#stopped)
      return Promise.resolve(
        robotsFailed(origin, Date.now(), new Failure('worker.stopping', 'the worker is stopping')),
      )
    const id = this.#nextId++
    const answer = Promise.withResolvers<RobotsReport>()
    this.#robots.set(id, { origin, answer })
    this.#tell({ say: 'fetch-robots', id, jobId: job.id, origin })
    return answer.promise
  }

  async stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = Promise.withResolvers<void>()
      this.#tell({ say: 'stop' })
    }
    await this.#stopped.promise
    await this.#worker.terminate()
  }
}

const neverAborted = new AbortController().signal
