// A job as the dispatcher sees it: its hosts with work, in the order in which they are due.
import { Heap, type HeapItem } from '../lib/collections/heap.ts'
import { TokenBucket } from '../lib/collections/token-bucket.ts'
import type { ExecutionPolicy } from '../model/policy/policy.ts'
import type { TaskIdentity } from '../model/policy/proxy.ts'
import { OpeningHours } from './allowed-hours.ts'
import type { HostTable, Reservation } from './host-table.ts'
import { askOf, type JobHostPolicy } from './host-terms.ts'

export interface DispatchJob {
  id: string
  createdAt: number
  /** A caller waits for this single task, so it goes before all jobs. */
  single: boolean
  policy: ExecutionPolicy
  /** Open tasks: its size for fairness. */
  remaining: () => number
  /** How many more tasks may start now, by budget and concurrency. */
  allowance: () => number
  /** Identities of tasks; only for jobs with a choice. */
  identities?: HostIdentities | undefined
}

/** Chosen with the start, so that resting identities are not overused. */
interface HostIdentities {
  /** When one is free for this host, from `at` on. */
  readyAt(host: string, at: number): number
  /** Null if none is available: the task then fails. Undefined if there is nothing to choose. */
  take(host: string, at: number): TaskIdentity | null | undefined
  giveBack(identity: TaskIdentity, host: string): void
}

type Start = Extract<Reservation, { ok: true }>

/** Tasks of one host to claim, with the earliest start of each. */
export interface PlannedWant {
  jobId: string
  host: string
  limit: number
  starts: number[]
  /** Distance between any two starts on the host, if one is late; 0 without a rate. */
  gapMs: number
  /** Distance per booked start; longer than `gapMs` if a burst allows closer starts. */
  paceMs: number
  /** One for each start, for jobs that choose. */
  identities?: Array<TaskIdentity | null>
}

/** The work one job has for one host. */
export interface HostWork extends HeapItem {
  readonly lane: JobLane
  readonly host: string
  /** Runnable tasks that the store is believed to have. */
  count: number
  /** Tasks added during a claim, which the claim may have missed. */
  addedMeanwhile: number
  /** Wants that `used` has not settled yet. */
  claims: number
  dueAt: number
  /** Breaks ties, so that hosts without a rate take turns. */
  turn: number
  /** Tasks in its current run. */
  run: number
  /** Its want in the current plan. */
  want: PlannedWant | null
}

const isBefore = (a: HostWork, b: HostWork): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.turn < b.turn)

/** Many hosts without a rate are served in runs: requests of a run share connections, one claim and one store row, which are
 *  most of a host's cost. Few hosts simply take turns. */
const longRun = 16
const manyHosts = 256

export class JobLane {
  readonly job: DispatchJob
  readonly ask: JobHostPolicy
  readonly bucket: TokenBucket
  /** When it works at all; null is always. */
  readonly hours: OpeningHours | null
  readonly works = new Map<string, HostWork>()
  /** Hosts that wait for a time; hosts that wait for an event are only in `works`. */
  readonly due = new Heap<HostWork>(isBefore)
  /** Planned tasks that the job's allowance does not include yet. */
  planned = 0
  suspendedUntil = 0
  /** Since when it could have run and was not served; null when it was. */
  waitingSince: number | null = null
  #turns = 0

  constructor(job: DispatchJob) {
    this.job = job
    this.ask = askOf(job.policy)
    this.bucket = new TokenBucket(job.policy.throttle)
    this.hours = job.policy.hours ? new OpeningHours(job.policy.hours) : null
  }

  workFor(host: string): HostWork {
    const known = this.works.get(host)
    if (known) return known
    const work: HostWork = {
      lane: this,
      host,
      count: 0,
      addedMeanwhile: 0,
      claims: 0,
      dueAt: 0,
      turn: 0,
      run: 0,
      want: null,
      heapIndex: -1,
    }
    this.works.set(host, work)
    return work
  }

  /** Queues a host until `dueAt`. */
  lineUp(work: HostWork, dueAt: number): void {
    work.dueAt = dueAt
    work.turn = this.#turns++
    work.run = 0
    if (work.heapIndex < 0) this.due.push(work)
    else this.due.update(work)
  }

  /** The host is available again: in the middle of a run it continues before hosts whose turn is later. */
  comeBack(work: HostWork, now: number): void {
    if (work.run === 0 || work.heapIndex >= 0) this.lineUp(work, now)
    else this.due.push(work)
  }

  /** Removes a host from the queue: it has no work, or waits for an event. */
  park(work: HostWork): void {
    if (work.heapIndex >= 0) this.due.remove(work)
  }

  /** When its next host is due, also by the job's own rate; null if none waits for a time. */
  nextAt(now: number): number | null {
    const first = this.due.peek()
    if (!first) return null
    return this.openAt(Math.max(first.dueAt, this.suspendedUntil, this.bucket.earliest(now)))
  }

  /** The first moment from `at` within its hours. */
  openAt(at: number): number {
    return this.hours && Number.isFinite(at) ? this.hours.nextOpen(at) : at
  }

  allowance(): number {
    return this.job.allowance() - this.planned
  }

  /** Plans one task on the host that has been due longest; null if none can start by `horizon`. */
  planOne(hosts: HostTable, now: number, horizon: number): HostWork | null {
    const earliest = this.openAt(Math.max(this.suspendedUntil, this.bucket.earliest(now)))
    if (earliest > horizon) return null
    for (let work = this.due.peek(); work && work.dueAt <= horizon; work = this.due.peek()) {
      const ready = this.job.identities?.readyAt(work.host, earliest) ?? earliest
      if (ready > horizon) {
        this.lineUp(work, ready)
        continue
      }
      const answer = hosts.reserve(work.host, Math.max(earliest, ready), horizon, this.ask)
      if (answer.ok) return this.#plan(work, answer)
      if (answer.until === null) this.park(work)
      else this.lineUp(work, answer.until)
    }
    return null
  }

  #plan(work: HostWork, start: Start): HostWork {
    const { at } = start
    const gapMs = distanceOf(start)
    this.bucket.take(at)
    this.planned += 1
    work.count -= 1
    if (work.count === 0) this.park(work)
    else if (gapMs > 0 || ++work.run >= this.#runLength) this.lineUp(work, at + gapMs)
    this.#addTo(work, at, { gapMs, paceMs: start.gapMs })
    return work
  }

  get #runLength(): number {
    return this.works.size > manyHosts ? longRun : 1
  }

  #addTo(work: HostWork, at: number, { gapMs, paceMs }: Pick<PlannedWant, 'gapMs' | 'paceMs'>): void {
    if (work.want === null) {
      if (work.claims === 0) work.addedMeanwhile = 0
      work.claims += 1
      work.want = { jobId: this.job.id, host: work.host, limit: 0, starts: [], gapMs, paceMs }
    }
    work.want.limit += 1
    work.want.starts.push(at)
    const identity = this.job.identities?.take(work.host, at)
    if (identity !== undefined) {
      work.want.identities ??= []
      work.want.identities.push(identity)
    }
    work.want.gapMs = Math.max(work.want.gapMs, gapMs)
    work.want.paceMs = Math.max(work.want.paceMs, paceMs)
  }
}

/** Within a burst starts may touch; the millisecond still marks a rate-limited host. */
const distanceOf = ({ gapMs, burst }: Start): number => (burst === 1 ? gapMs : Math.min(gapMs, 1))
