// The dispatcher's state of one job: its hosts with work, in the order in which they are due.
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
  /** The job has one task, so a caller probably waits for it. It runs before all other jobs. */
  single: boolean
  policy: ExecutionPolicy
  /** The number of open tasks. Smaller jobs run first. */
  remaining: () => number
  /** How many more tasks may start now, by budget and concurrency. */
  allowance: () => number
  /** Chooses the identities of tasks. Only for jobs with several identities or proxies. */
  identities?: HostIdentities | undefined
}

/** Chooses identities. An identity is chosen together with the slot, so that no identity is used while it rests. */
interface HostIdentities {
  /** When an identity is available for this host, at `at` or later. */
  readyAt(host: string, at: number): number
  /** Null if no identity is available: the task then fails. Undefined if the host has no choice of identities. */
  take(host: string, at: number): TaskIdentity | null | undefined
  giveBack(identity: TaskIdentity, host: string): void
}

type Start = Extract<Reservation, { ok: true }>

/** Planned tasks of one host that the caller must claim, with the start of each slot. */
export interface PlannedClaim {
  jobId: string
  host: string
  limit: number
  starts: number[]
  /** The minimum interval between two requests to the host; 0 without a rate. */
  gapMs: number
  /** The average interval between slots. Longer than `gapMs` if a burst allows closer requests. */
  paceMs: number
  /** The identity for each slot; only for jobs with several identities. */
  identities?: Array<TaskIdentity | null>
}

/** The work of one job at one host. */
export interface HostWork extends HeapItem {
  readonly lane: JobLane
  readonly host: string
  /** Runnable tasks that the store should have. This is only a hint; the claim decides. */
  count: number
  /** Tasks added during a claim, which the claim may have missed. */
  addedMeanwhile: number
  /** Number of claims that have not ended yet. */
  claims: number
  dueAt: number
  /** The order of hosts with the same `dueAt`, so that hosts without a rate alternate. */
  turn: number
  /** Number of tasks that were planned in a row for this host. See `longRun`. */
  run: number
  /** The claim for this host in the current plan; null if it has none. */
  claim: PlannedClaim | null
}

const isBefore = (a: HostWork, b: HostWork): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.turn < b.turn)

/** If a job has work at more than `manyHosts` hosts, up to `longRun` tasks of a host without a rate are planned in a row.
 *  These tasks share the expensive parts: connections, the claim and the stored state of the host. With fewer hosts, the
 *  hosts alternate. */
const longRun = 16
const manyHosts = 256

export class JobLane {
  readonly job: DispatchJob
  readonly ask: JobHostPolicy
  readonly bucket: TokenBucket
  /** The allowed hours of the job; null: always. */
  readonly hours: OpeningHours | null
  readonly works = new Map<string, HostWork>()
  /** Hosts that are due at a known time. Hosts that wait for an event are only in `works`. */
  readonly due = new Heap<HostWork>(isBefore)
  /** Hosts at which the job has no more work, but where its long interval still delays other jobs. When the job ends, the delay
   *  ends too. */
  readonly slowed = new Set<string>()
  /** Planned tasks whose claim has not ended. The job's allowance does not count them yet. */
  planned = 0
  suspendedUntil = 0
  /** Since when the job could start tasks but got no slot. Null if it got one in the last plan. */
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
      claim: null,
      heapIndex: -1,
    }
    this.works.set(host, work)
    return work
  }

  /** Queues a host that is due at `dueAt`, behind hosts with the same time. */
  lineUp(work: HostWork, dueAt: number): void {
    work.dueAt = dueAt
    work.turn = this.#turns++
    work.run = 0
    if (work.heapIndex < 0) this.due.push(work)
    else this.due.update(work)
  }

  /** Queues a host that is available again. If several tasks of this host are planned in a row (see `longRun`), the host keeps
   *  its place in the queue. */
  comeBack(work: HostWork, now: number): void {
    if (work.run === 0 || work.heapIndex >= 0) this.lineUp(work, now)
    else this.due.push(work)
  }

  /** Removes a host from the queue: it has no work, or waits for an event. */
  park(work: HostWork): void {
    if (work.heapIndex >= 0) this.due.remove(work)
  }

  /** When the next host is due, under the job's own rate and hours. Null if no host is due at a known time. */
  nextAt(now: number): number | null {
    const first = this.due.peek()
    if (!first) return null
    return this.openAt(Math.max(first.dueAt, this.suspendedUntil, this.bucket.earliest(now)))
  }

  /** The first moment at `at` or later within the job's hours. */
  openAt(at: number): number {
    return this.hours && Number.isFinite(at) ? this.hours.nextOpen(at) : at
  }

  allowance(): number {
    return this.job.allowance() - this.planned
  }

  /** Plans one task at the host that has been due for the longest time. Null if none can start by `horizon`. */
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

  #addTo(work: HostWork, at: number, { gapMs, paceMs }: Pick<PlannedClaim, 'gapMs' | 'paceMs'>): void {
    if (work.claim === null) {
      if (work.claims === 0) work.addedMeanwhile = 0
      work.claims += 1
      work.claim = { jobId: this.job.id, host: work.host, limit: 0, starts: [], gapMs, paceMs }
    }
    work.claim.limit += 1
    work.claim.starts.push(at)
    const identity = this.job.identities?.take(work.host, at)
    if (identity !== undefined) {
      work.claim.identities ??= []
      work.claim.identities.push(identity)
    }
    work.claim.gapMs = Math.max(work.claim.gapMs, gapMs)
    work.claim.paceMs = Math.max(work.claim.paceMs, paceMs)
  }
}

/** The minimum interval between requests. Within a burst it is 1 ms instead of 0, because 0 means a host without a rate. */
const distanceOf = ({ gapMs, burst }: Start): number => (burst === 1 ? gapMs : Math.min(gapMs, 1))
