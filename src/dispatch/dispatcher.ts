// The dispatcher plans which tasks may start, over all jobs and hosts.
import type { JobPace } from '../model/policy/pace.ts'
import { type DueSoon, dueSoon, type Span } from './due-soon.ts'
import type { HostTable } from './host-table.ts'
import { type DispatchJob, type HostWork, JobLane, type PlannedClaim } from './job-lane.ts'
import { JobOrder } from './job-order.ts'
import { paceOfJob } from './job-pace.ts'
import { summarize, type WaitSummary, type WorkCounts, workCountsOf } from './wait-summary.ts'

export type { DispatchJob, PlannedClaim } from './job-lane.ts'
export type { Wait, WaitSummary } from './wait-summary.ts'

export interface Plan {
  claims: PlannedClaim[]
  /** When to plan again if no event happens before. Null if only an event (a response, new work) can make tasks runnable. */
  nextAt: number | null
}

/** Slots are reserved this far ahead, so that neither the claim nor a late timer delays requests. */
export const defaultLookAheadMs = 100

/** The interval of a job without work at a host is removed when the job ends, but only if it is at least this long.
 *  Shorter intervals expire soon. */
const longGapMs = 5_000

export class Dispatcher {
  readonly #hosts: HostTable
  readonly #lookAheadMs: number
  readonly #lanes = new Map<string, JobLane>()
  /** The work of all jobs at each host, to wake the jobs when the host is free. */
  readonly #byHost = new Map<string, Set<HostWork>>()
  readonly #openClaims = new Map<PlannedClaim, HostWork>()
  readonly #order = new JobOrder()
  #plannedAt = 0

  constructor(parts: { hosts: HostTable; lookAheadMs?: number }) {
    this.#hosts = parts.hosts
    this.#lookAheadMs = parts.lookAheadMs ?? defaultLookAheadMs
  }

  open(job: DispatchJob): void {
    this.#remove(job.id)
    this.#lanes.set(job.id, new JobLane(job))
  }

  /** Removes a job that has ended, and its work. Tasks in flight are not affected. Its rate no longer slows other jobs. */
  close(jobId: string, now: number): void {
    const lane = this.#lanes.get(jobId)
    if (!lane) return
    const hosts = [...lane.works.keys(), ...lane.slowed]
    this.#remove(jobId)
    for (const host of hosts) {
      const others = Array.from(this.#byHost.get(host) ?? [], work => work.lane.ask)
      this.#hosts.forgetTerms(host, others, now)
    }
  }

  #remove(jobId: string): void {
    const lane = this.#lanes.get(jobId)
    for (const work of lane?.works.values() ?? []) this.#leave(work)
    this.#lanes.delete(jobId)
  }

  /** Starts no task of the job before `until` (epoch ms). With null, the job stays suspended until `unsuspend` is called. */
  suspend(jobId: string, until: number | null): void {
    const lane = this.#lanes.get(jobId)
    if (lane) lane.suspendedUntil = until ?? Number.POSITIVE_INFINITY
  }

  unsuspend(jobId: string): void {
    const lane = this.#lanes.get(jobId)
    if (lane) lane.suspendedUntil = 0
  }

  /** Adds runnable tasks that are in the store. Ignored if the job is closed. */
  addWork(jobId: string, host: string, count: number): void {
    const lane = this.#lanes.get(jobId)
    if (!lane || count <= 0) return
    const isNew = !lane.works.has(host)
    const work = lane.workFor(host)
    if (isNew) this.#join(work)
    work.addedMeanwhile += count
    this.#add(work, count)
  }

  /** Reserves slots for at most `capacity` tasks. The caller makes each claim in the store, then calls `used`, or `abandon` on
   *  failure. */
  plan(now: number, capacity: number): Plan {
    this.#plannedAt = now
    this.#wakeFreed(now)
    const horizon = now + this.#lookAheadMs
    const planned = new Set<HostWork>()
    this.#order.serve(this.#dueLanes(now, horizon), now, capacity, lane => {
      const work = lane.planOne(this.#hosts, now, horizon)
      if (work) planned.add(work)
      return work !== null
    })
    return { claims: Array.from(planned, work => this.#handOut(work)), nextAt: this.#nextAt(now, horizon) }
  }

  /** Call this after the claim. The unused slots are given back. If the claim found fewer tasks than planned, the host has
   *  no work until `addWork`. */
  used(claim: PlannedClaim, taken: number): void {
    const work = this.#settle(claim, taken)
    if (!work) return
    if (taken < claim.limit) work.count = work.addedMeanwhile
    this.#add(work, 0)
  }

  /** Call this if the claim failed. It undoes the plan. */
  abandon(claim: PlannedClaim): void {
    const work = this.#settle(claim, 0)
    if (work) this.#add(work, claim.limit)
  }

  /** Known runnable tasks of a job, including those planned but not yet claimed. */
  workOf(jobId: string): number {
    const lane = this.#lanes.get(jobId)
    if (!lane) return 0
    return lane.works.values().reduce((sum, work) => sum + work.count, lane.planned)
  }

  /** How many hosts have runnable tasks of a job. */
  hostsOf(jobId: string): number {
    return this.#lanes.get(jobId)?.works.size ?? 0
  }

  hostNamesOf(jobId: string): string[] {
    return [...(this.#lanes.get(jobId)?.works.keys() ?? [])]
  }

  /** Forgets the runnable tasks of the job at this host. Call this before the store ends these tasks without a claim. */
  dropWork(jobId: string, host: string): void {
    const work = this.#lanes.get(jobId)?.works.get(host)
    if (!work) return
    work.count = 0
    work.addedMeanwhile = 0
    this.#add(work, 0)
  }

  /** The reasons why tasks of all jobs (or of one job) wait. The reason with the most tasks is first. */
  waiting(now: number, jobId?: string): WaitSummary {
    const lanes =
      jobId === undefined ? this.#lanes.values() : [this.#lanes.get(jobId)].filter(lane => lane !== undefined)
    return summarize(lanes, this.#hosts, now)
  }

  /** The rate of a job and the duration of its known work; null if no task waits. */
  paceOf(jobId: string, now: number): JobPace | null {
    const lane = this.#lanes.get(jobId)
    return lane ? paceOfJob(lane, this.#hosts, now) : null
  }

  /** Counts of the tasks of all jobs: due, and waiting by reason. */
  workCounts(now: number): WorkCounts {
    const tasks = this.#lanes.keys().reduce((sum, jobId) => sum + this.workOf(jobId), 0)
    return workCountsOf(tasks, this.waiting(now))
  }

  /** Tasks of a job that may start within the span. */
  dueSoon(jobId: string, span: Span, later: ReadonlyMap<string, number>): Iterable<DueSoon> {
    const lane = this.#lanes.get(jobId)
    return lane ? dueSoon(lane, this.#hosts, span, later) : []
  }

  #dueLanes(now: number, horizon: number): JobLane[] {
    return [...this.#lanes.values()].filter(lane => (lane.nextAt(now) ?? Number.POSITIVE_INFINITY) <= horizon)
  }

  #handOut(work: HostWork): PlannedClaim {
    const claim = work.claim!
    work.claim = null
    this.#openClaims.set(claim, work)
    return claim
  }

  /** Gives unused slots back to the host, newest first. Returns null if the job was closed during the claim. */
  #settle(claim: PlannedClaim, taken: number): HostWork | null {
    const work = this.#openClaims.get(claim)
    if (!work || !this.#openClaims.delete(claim)) return null
    for (const at of claim.starts.slice(taken).reverse()) {
      this.#hosts.unreserve(claim.host, at)
      work.lane.bucket.giveBack(at)
    }
    for (const identity of claim.identities?.slice(taken) ?? [])
      if (identity) work.lane.job.identities?.giveBack(identity, claim.host)
    work.lane.planned -= claim.limit
    work.claims -= 1
    return work.lane.works.get(claim.host) === work ? work : null
  }

  #add(work: HostWork, count: number): void {
    work.count += count
    if (work.count === 0) {
      work.lane.park(work)
      if (work.claims === 0) this.#leaveForNow(work)
    } else if (work.heapIndex < 0) work.lane.comeBack(work, this.#plannedAt)
  }

  #join(work: HostWork): void {
    this.#hosts.hold(work.host)
    const works = this.#byHost.get(work.host)
    if (works) works.add(work)
    else this.#byHost.set(work.host, new Set([work]))
  }

  #leave(work: HostWork): void {
    if (!work.lane.works.delete(work.host)) return
    work.lane.park(work)
    this.#hosts.release(work.host)
    const works = this.#byHost.get(work.host)
    works?.delete(work)
    if (works?.size === 0) this.#byHost.delete(work.host)
  }

  /** Removes the work of a job that has no more tasks at this host. The job has not ended, so its links may add tasks again. */
  #leaveForNow(work: HostWork): void {
    const { lane, host } = work
    if (this.#hosts.paceOf(host, lane.ask, this.#plannedAt).gapMs >= longGapMs) lane.slowed.add(host)
    this.#leave(work)
  }

  #wakeFreed(now: number): void {
    for (const host of this.#hosts.takeFreed()) {
      for (const work of this.#byHost.get(host) ?? []) {
        if (work.count > 0) work.lane.comeBack(work, now)
      }
    }
  }

  /** When to plan again: half of the look-ahead time before the next host is due, so that the plan also covers hosts that are
   *  due shortly afterwards. Ignores hosts that are already due, because they wait for free capacity. */
  #nextAt(now: number, horizon: number): number | null {
    let earliest = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values()) {
      const at = lane.nextAt(now)
      if (at !== null && at > horizon) earliest = Math.min(earliest, at)
    }
    return Number.isFinite(earliest) ? Math.max(now, earliest - this.#lookAheadMs / 2) : null
  }
}
