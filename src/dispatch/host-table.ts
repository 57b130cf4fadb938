// The host table: the politeness state of each host, across all jobs. Every request reserves its slot here.
import type { FailureCode } from '../model/failures.ts'
import type { BreakerState, HostCounts, HostState } from '../model/host.ts'
import type { PaceReason } from '../model/policy/pace.ts'
import type { AllowedHours, HostPolicy } from '../model/policy/policy.ts'
import { OpeningHours } from './allowed-hours.ts'
import { hostVerdict } from './host-breaker.ts'
import { hostCountsOf } from './host-counts.ts'
import { HostEntry, isIdle, isWorthKeeping, restoreInto, stateOf } from './host-entry.ts'
import {
  book,
  decide,
  endStrictWait,
  forever,
  paceOf,
  type Reservation,
  recentPace,
  rememberTerms,
  shortenGap,
  startedLate,
  startsUntil,
  unbook,
  type WaitReason,
} from './host-pace.ts'
import type { JobHostPolicy, KnownHostPolicy } from './host-terms.ts'
import { type HostReach, Reachability } from './reachability.ts'
import { rateFactorAt, slowDown } from './slowdown.ts'

export type { Reservation } from './host-pace.ts'
export type { JobHostPolicy, KnownHostPolicy } from './host-terms.ts'

export interface RequestResult {
  startedAt: number
  endedAt: number
  /** The host was not requested, or the outcome is unknown. It counts neither as a success nor as a failure. */
  isUnknown?: true
  failure?: FailureCode
  retryAfterMs?: number
  /** Identifies the requested page. Failures of retries of the same page count once. */
  page?: string
}

export interface HostView {
  host: string
  policy: HostPolicy
  state: HostState
  breaker: BreakerState
  rateFactor: number
  crawlDelayMs: number | null
  robotsPending: boolean
  inFlight: number
  waits: { reason: WaitReason; until: number | null } | null
}

const noLimits: JobHostPolicy = {}
/** When the table is full, this many entries are checked for eviction per new host. */
const sweepSteps = 8

export class HostTable {
  readonly #policyFor: (host: string) => KnownHostPolicy
  readonly #maxHosts: number
  readonly #entries = new Map<string, HostEntry>()
  readonly #hours = new WeakMap<AllowedHours, OpeningHours>()
  readonly #reach = new Reachability()
  #dirty: HostEntry[] = []
  #freed: HostEntry[] = []
  #sweep: IterableIterator<HostEntry>

  constructor(options: { policyFor: (host: string) => KnownHostPolicy; maxHosts?: number }) {
    this.#policyFor = options.policyFor
    this.#maxHosts = options.maxHosts ?? 100_000
    this.#sweep = this.#entries.values()
  }

  get size(): number {
    return this.#entries.size
  }

  /** Loads the stored state of an earlier process. `askedAt` is the latest time at which that process may have sent a request.
   *  The next request waits for a full interval after it. */
  restore(state: HostState, askedAt?: number): void {
    const entry = this.#entry(state.host)
    restoreInto(entry, state)
    if (askedAt === undefined) return
    entry.lastGapMs = Math.max(entry.terms(noLimits).gapMs, entry.crawlDelay)
    startedLate(entry, askedAt)
  }

  /** The default of this host for jobs that do not set whether they obey robots.txt. */
  robotsOf(host: string): 'obey' | 'ignore' {
    return this.#entry(host).policy.robots
  }

  policyOf(host: string): KnownHostPolicy {
    return this.#entry(host).policy
  }

  inFlightAt(host: string): number {
    return this.#entries.get(host)?.inFlight ?? 0
  }

  knows(host: string): boolean {
    return this.#entries.has(host)
  }

  /** Reserves the next slot of the host at or before `horizon`, or returns the reason to wait. */
  reserve(host: string, now: number, horizon: number, ask: JobHostPolicy): Reservation {
    const entry = this.#entry(host)
    const terms = entry.terms(ask)
    const answer = decide(entry, terms, now, horizon, entry.inFlight)
    rememberTerms(entry, terms, answer, now)
    if (answer.ok) {
      book(entry, answer)
      entry.inFlight += 1
      this.#changed(entry)
    } else if (answer.until === null) entry.hasWaiters = true
    return answer
  }

  /** Reserves a slot for a further request of a task in flight. The rate applies, but the request does not count as one more in
   *  flight. */
  reserveExtra(host: string, now: number, horizon: number, ask: JobHostPolicy): Reservation {
    const entry = this.#entry(host)
    const answer = decide(entry, entry.terms(ask), now, horizon, 0)
    if (answer.ok) {
      book(entry, answer)
      this.#changed(entry)
    }
    return answer
  }

  /** Gives back an unused slot. If several slots of a host are given back, the newest must be the first. */
  unreserve(host: string, at: number): void {
    const entry = this.#entry(host)
    entry.inFlight = Math.max(0, entry.inFlight - 1)
    unbook(entry, at)
    endStrictWait(entry, at)
    this.#changed(entry)
    this.#free(entry)
  }

  /** Call this if a request was sent later than the start of its slot. */
  noteSent(host: string, at: number): void {
    const entry = this.#entries.get(host)
    if (entry) startedLate(entry, at)
  }

  /** Counts a request in flight that another process sends. */
  occupy(host: string): void {
    this.#entry(host).inFlight += 1
  }

  /** Call this when a request has ended. It is no longer in flight, and its outcome updates breaker and rate. */
  finished(host: string, result: RequestResult, now: number): void {
    const entry = this.#entry(host)
    entry.inFlight = Math.max(0, entry.inFlight - 1)
    this.#learn(entry, result, now)
  }

  /** Call this when a further request of a task has ended. Its outcome updates breaker and rate. The task itself stays in flight. */
  extraEnded(host: string, result: RequestResult, now: number): void {
    this.#learn(this.#entry(host), result, now)
  }

  #learn(entry: HostEntry, result: RequestResult, now: number): void {
    entry.requests += 1
    startedLate(entry, result.startedAt)
    // Store the entry at once if the breaker is not closed, because this outcome may close it.
    if (!entry.breaker.isClosed) entry.isNews = true
    if (!result.isUnknown) {
      entry.breaker.record(hostVerdict(result.failure), result.startedAt, now, result.page)
      this.#reach.note(entry, result.failure, result.startedAt, now)
    }
    if (result.failure !== undefined) this.#learnFailure(entry, result, result.failure, now)
    if (result.retryAfterMs !== undefined) this.#obeyRetryAfter(entry, result.retryAfterMs, now)
    endStrictWait(entry, now)
    this.#changed(entry)
    if (entry.hasWaiters) this.#free(entry)
  }

  reachOf(host: string): HostReach {
    return this.#entry(host)
  }

  /** The hosts among these that do not respond, or whose robots.txt cannot be fetched. */
  troubled(hosts: readonly string[]): string[] {
    return hosts.filter(host => {
      const { silentSince = null, robotsFailingSince = null } = this.#entries.get(host) ?? {}
      return silentSince !== null || robotsFailingSince !== null
    })
  }

  /** Whether no host responds. `hasUntried` returns whether there is a host that was not tried yet. */
  isNetworkDown(now: number, hasUntried: () => boolean): boolean {
    return this.#reach.isNetworkDown(now, hasUntried)
  }

  #learnFailure(entry: HostEntry, result: RequestResult, failure: FailureCode, now: number): void {
    entry.failures += 1
    entry.isNews = true
    entry.lastError = failure
    entry.lastErrorAt = result.endedAt
    if (failure !== 'host.throttled') return
    if (slowDown(entry, entry.policy.slowdown, result, now)) entry.slowGapMs = 1_000 / recentPace(entry)
  }

  #obeyRetryAfter(entry: HostEntry, retryAfterMs: number, now: number): void {
    const waitMs = Math.min(Math.max(0, retryAfterMs), entry.policy.slowdown.maxRetryAfterMs)
    entry.retryAfterUntil = Math.max(entry.retryAfterUntil, now + waitMs)
    entry.isNews = true
  }

  /** Records whether the host's robots.txt could be fetched. `mute`: the host sent no response at all. */
  noteRobots(host: string, outcome: 'read' | 'refused' | 'mute', now: number): void {
    const entry = this.#entry(host)
    entry.robotsFailingSince = outcome === 'read' ? null : (entry.robotsFailingSince ?? now)
    entry.isRobotsMute = outcome === 'mute'
  }

  /** Sets the crawl delay from robots.txt; null if robots.txt has none. */
  setCrawlDelay(host: string, ms: number | null): void {
    const entry = this.#entry(host)
    entry.crawlDelayMs = ms ?? 0
    this.#free(entry)
  }

  raiseCrawlDelay(host: string, ms: number): void {
    const { crawlDelayMs } = this.#entry(host)
    if (ms > crawlDelayMs) this.setCrawlDelay(host, ms)
  }

  /** Stops requests until `until`; null means until `resume`. If the reason starts with `robots`, waits are reported as `robots`. */
  pause(host: string, until: number | null, reason: string): void {
    const entry = this.#entry(host)
    entry.pausedUntil = until ?? forever
    entry.pauseReason = reason
    entry.isNews = true
    this.#changed(entry)
  }

  /** Ends a pause; Retry-After and an open breaker still apply. */
  resume(host: string): void {
    const entry = this.#entry(host)
    entry.pausedUntil = 0
    entry.pauseReason = null
    entry.isNews = true
    this.#changed(entry)
    this.#free(entry)
  }

  /** Applies a policy that the operator has changed. It applies at once, also to waiting tasks. */
  reviseTerms(host: string): void {
    const entry = this.#entries.get(host)
    if (!entry) return
    const policy = this.#policyFor(host)
    entry.revise(policy, this.#hoursOf(policy.hours))
    this.#free(entry)
  }

  /** Sets whether robots.txt is being fetched. During the fetch, jobs that obey robots.txt wait; other jobs continue. */
  setRobotsPending(host: string, isPending: boolean): void {
    const entry = this.#entry(host)
    entry.robotsPending = isPending
    if (!isPending) this.#free(entry)
  }

  /** Keeps a host in the table while a job has work for it. */
  hold(host: string): void {
    this.#entry(host).holds += 1
  }

  release(host: string): void {
    const entry = this.#entries.get(host)
    if (entry) entry.holds = Math.max(0, entry.holds - 1)
  }

  /** Call this when a job has ended. From now on, only the policy of the host and the terms of `others` apply. */
  forgetTerms(host: string, others: readonly JobHostPolicy[], now: number): void {
    const entry = this.#entries.get(host)
    if (!entry) return
    shortenGap(
      entry,
      [noLimits, ...others].map(ask => entry.terms(ask)),
    )
    for (const ask of others) {
      const terms = entry.terms(ask)
      rememberTerms(entry, terms, decide(entry, terms, now, now, entry.inFlight), now)
    }
    this.#changed(entry)
    this.#free(entry)
  }

  /** The hosts that changed since the last call, for the group commit. With `now`, a busy healthy host is returned only once a
   *  second. This is safe: after a restart, a full interval applies before the first request. */
  takeDirty(now = Number.POSITIVE_INFINITY): HostState[] {
    const due = this.#dirty.filter(entry => isWorthKeeping(entry, now))
    if (due.length === this.#dirty.length) this.#dirty = []
    else this.#dirty = this.#dirty.filter(entry => !isWorthKeeping(entry, now))
    for (const entry of due) {
      entry.isDirty = false
      entry.isNews = false
      if (Number.isFinite(now)) entry.keptAt = now
    }
    return due.map(stateOf)
  }

  /** Call this if states of `takeDirty` could not be stored. The next `takeDirty` returns them again. */
  notKept(states: readonly HostState[]): void {
    for (const { host } of states) {
      const entry = this.#entry(host)
      entry.isNews = true
      this.#changed(entry)
    }
  }

  /** The hosts that may be available earlier than the last `reserve` said. Each host is returned once; the caller plans it again. */
  takeFreed(): string[] {
    if (this.#freed.length === 0) return []
    const hosts = this.#freed.map(entry => entry.host)
    for (const entry of this.#freed) entry.isFreed = false
    this.#freed = []
    return hosts
  }

  /** The reason why a request of this job would have to wait now. Null if it could start. */
  waitOf(host: string, now: number, ask: JobHostPolicy = noLimits): HostView['waits'] {
    const entry = this.#entries.get(host)
    if (!entry) return null
    const answer = decide(entry, entry.terms(ask), now, now, entry.inFlight)
    return answer.ok ? null : { reason: answer.reason, until: answer.until }
  }

  /** How many requests of this job may start by `until`. */
  startsUntil(host: string, now: number, until: number, ask: JobHostPolicy): number {
    const entry = this.#entry(host)
    return startsUntil(entry, entry.terms(ask), now, until)
  }

  /** The current interval between two requests of a job, and what decides it. */
  paceOf(host: string, ask: JobHostPolicy, now: number): { gapMs: number; reason: PaceReason } {
    const entry = this.#entry(host)
    const { gapMs, reason } = paceOf(entry, entry.terms(ask), now)
    if (reason !== 'rate') return { gapMs, reason }
    const { fixed = [] } = entry.policy
    if (gapMs === 0) return { gapMs, reason: 'unlimited' }
    return { gapMs, reason: fixed.includes('rate') ? 'domain' : ask.rate === undefined ? 'default' : 'job' }
  }

  /** The full state of a host; null if it is unknown. */
  view(host: string, now: number): HostView | null {
    const entry = this.#entries.get(host)
    if (!entry) return null
    return {
      host,
      policy: entry.policy,
      state: stateOf(entry),
      breaker: entry.breaker.state(now),
      rateFactor: rateFactorAt(entry, entry.policy.slowdown, now),
      crawlDelayMs: entry.crawlDelayMs || null,
      robotsPending: entry.robotsPending,
      inFlight: entry.inFlight,
      waits: this.waitOf(host, now),
    }
  }

  /** Counts of all hosts, with a list of the `mostNamed` hosts that have the most problems. */
  hostCounts(now: number, mostNamed: number): HostCounts {
    return hostCountsOf(this.#entries.values(), now, mostNamed)
  }

  #entry(host: string): HostEntry {
    const known = this.#entries.get(host)
    if (known) {
      known.wasUsed = true
      return known
    }
    if (this.#entries.size >= this.#maxHosts) this.#forgetSome()
    const policy = this.#policyFor(host)
    const entry = new HostEntry(host, policy, this.#hoursOf(policy.hours))
    this.#entries.set(host, entry)
    return entry
  }

  #hoursOf(hours: AllowedHours | undefined): OpeningHours | null {
    if (!hours) return null
    const known = this.#hours.get(hours) ?? new OpeningHours(hours)
    this.#hours.set(hours, known)
    return known
  }

  #changed(entry: HostEntry): void {
    if (entry.isDirty) return
    entry.isDirty = true
    this.#dirty.push(entry)
  }

  #free(entry: HostEntry): void {
    entry.hasWaiters = false
    if (entry.isFreed) return
    entry.isFreed = true
    this.#freed.push(entry)
  }

  /** Evicts a few hosts that were not used recently. Hosts with unsaved changes or with work of a job stay. */
  #forgetSome(): void {
    for (let step = 0; step < sweepSteps; step += 1) {
      const next = this.#sweep.next()
      if (next.done) {
        this.#sweep = this.#entries.values()
        return
      }
      if (!next.value.wasUsed && isIdle(next.value)) {
        this.#entries.delete(next.value.host)
        this.#reach.forget(next.value)
      }
      next.value.wasUsed = false
    }
  }
}
