// Lanes on the main thread, one for HTTP and one with a browser. Used for small jobs, and for scrapers that are functions.
import { systemClock } from '../../lib/clocks.ts'
import type { Emit } from '../../model/events.ts'
import type { LaneJob, RobotsReport, TaskBatch, TaskReport } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { Lanes } from '../../pipeline/coordinate/context.ts'
import type { Lane } from '../../pipeline/work/lane/lane.ts'
import { failedReport } from '../../pipeline/work/task-report.ts'
import type { Runner } from '../../pipeline/work/work-loop.ts'
import type { FetchLayer } from '../../ports/fetch.ts'
import type { AskPermit } from '../../ports/permits.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { LaneStart } from './lane-messages.ts'
import { type LaneLinks, type OpenedLane, openLane } from './open-lane.ts'

interface LocalLaneEvents {
  askPermit: AskPermit
  emit: Emit
  reported: (index: number, reports: TaskReport[]) => void
  fetchLayer?: FetchLayer | undefined
  hasOwnScrapers?: boolean
}

export class LocalLanes implements Lanes {
  readonly count = 1
  readonly #opened: OpenedLane
  readonly #lane: Lane
  readonly #browser: LocalBrowserLane

  private constructor(opened: OpenedLane, browser: LocalBrowserLane) {
    this.#opened = opened
    this.#browser = browser
    this.#lane = opened.lane
  }

  static async open(
    starts: { http: LaneStart; browser: LaneStart },
    registry: Registry,
    events: LocalLaneEvents,
  ): Promise<LocalLanes> {
    const { askPermit, emit, fetchLayer, hasOwnScrapers = false } = events
    const linksOf = (index: number): LaneLinks => ({
      ...{ registry, askPermit, emit, fetchLayer, hasOwnScrapers },
      report: reports => events.reported(index, reports),
    })
    const browser = new LocalBrowserLane(() => openLane(starts.browser, linksOf(1)), linksOf(1).report)
    return new LocalLanes(await openLane(starts.http, linksOf(0)), browser)
  }

  get runners(): Runner[] {
    return [this.#lane, this.#browser]
  }

  openJob(job: LaneJob): void {
    this.#lane.openJob(job)
    this.#browser.openJob(job)
  }

  closeJob(jobId: string): void {
    void this.#lane.closeJob(jobId)
    this.#browser.closeJob(jobId)
  }

  cancelJob(jobId: string): void {
    this.#lane.cancelJob(jobId)
    this.#browser.cancelJob(jobId)
  }

  fetchRobots(origin: string, job: LaneJob, identity: TaskIdentity | null): Promise<RobotsReport> {
    return this.#lane.fetchRobots(job.id, origin, identity)
  }

  tryBrowser(): Promise<boolean> {
    return this.#browser.tryBrowser()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#opened[Symbol.asyncDispose](), this.#browser[Symbol.asyncDispose]()])
  }
}

/** A lane that opens with the first task that needs a browser. */
class LocalBrowserLane implements Runner, AsyncDisposable {
  readonly #open: () => Promise<OpenedLane>
  readonly #report: (reports: TaskReport[]) => void
  readonly #jobs = new Map<string, LaneJob>()
  #opened: Promise<OpenedLane> | null = null

  constructor(open: () => Promise<OpenedLane>, report: (reports: TaskReport[]) => void) {
    this.#open = open
    this.#report = report
  }

  openJob(job: LaneJob): void {
    this.#jobs.set(job.id, job)
    this.#opened?.then(({ lane }) => lane.openJob(job), toldOtherwise)
  }

  closeJob(jobId: string): void {
    this.#jobs.delete(jobId)
    this.#opened?.then(({ lane }) => lane.closeJob(jobId), toldOtherwise)
  }

  cancelJob(jobId: string): void {
    this.#jobs.delete(jobId)
    this.#opened?.then(({ lane }) => lane.cancelJob(jobId), toldOtherwise)
  }

  run(batch: TaskBatch): void {
    this.#opened ??= this.#begin()
    this.#opened.then(
      ({ lane }) => lane.run(batch),
      error => this.#report(batch.tasks.map(task => failedReport(task, error, systemClock.now()))),
    )
  }

  async tryBrowser(): Promise<boolean> {
    this.#opened ??= this.#begin()
    return this.#opened.then(
      opened => opened.tryBrowser(),
      () => false,
    )
  }

  async #begin(): Promise<OpenedLane> {
    const opened = await this.#open()
    for (const job of this.#jobs.values()) opened.lane.openJob(job)
    return opened
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opened?.catch(() => null)
    await opened?.[Symbol.asyncDispose]()
  }
}

/** Ignores the error if the browser lane cannot be opened, because each task that needs the lane reports that error. */
const toldOtherwise = (): void => {}
