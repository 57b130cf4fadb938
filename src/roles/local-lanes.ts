// One lane on the main thread: for small jobs, and for scrapers whose code was handed over as a function.
import { systemClock } from '../lib/clocks.ts'
import { Failure } from '../model/failures.ts'
import type { LaneJob, RobotsReport, TaskReport } from '../model/lane.ts'
import type { Lanes } from '../pipeline/desk.ts'
import { fetchRobots, longestRobotsMs, robotsFailed } from '../pipeline/fetch-robots.ts'
import type { Lane } from '../pipeline/lane.ts'
import type { Runner } from '../pipeline/work-loop.ts'
import type { FetchLayer } from '../ports/fetch.ts'
import type { AskPermit } from '../ports/permits.ts'
import type { Registry } from '../scraper/registry.ts'
import type { LaneStart } from './lane-messages.ts'
import { type OpenedLane, openLane } from './open-lane.ts'

export interface LocalLaneEvents {
  askPermit: AskPermit
  reported: (index: number, reports: TaskReport[]) => void
  fetchLayer?: FetchLayer | undefined
}

export class LocalLanes implements Lanes {
  readonly count = 1
  readonly #opened: OpenedLane
  readonly #lane: Lane
  readonly #askPermit: AskPermit

  private constructor(opened: OpenedLane, askPermit: AskPermit) {
    this.#opened = opened
    this.#askPermit = askPermit
    this.#lane = opened.lane
  }

  static async open(start: LaneStart, registry: Registry, events: LocalLaneEvents): Promise<LocalLanes> {
    const report = (reports: TaskReport[]) => events.reported(0, reports)
    const { askPermit, fetchLayer } = events
    return new LocalLanes(await openLane(start, { registry, askPermit, report, fetchLayer }), askPermit)
  }

  get runners(): Runner[] {
    return [this.#lane]
  }

  openJob(job: LaneJob): void {
    this.#lane.openJob(job)
  }

  closeJob(jobId: string): void {
    void this.#lane.closeJob(jobId)
  }

  fetchRobots(origin: string, job: LaneJob): Promise<RobotsReport> {
    const open = this.#lane.job(job.id)
    const parts = { clock: systemClock, askPermit: this.#askPermit }
    if (open) return fetchRobots(parts, open, origin, AbortSignal.timeout(longestRobotsMs))
    const closed = new Failure('worker.stopping', 'the job is closed')
    return Promise.resolve(robotsFailed(origin, systemClock.now(), closed))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]()
  }
}
