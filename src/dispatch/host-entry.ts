// The state of one host in memory, and its stored form.
import { gapOfRate, nextToken } from '../lib/collections/token-bucket.ts'
import type { HostState } from '../model/host.ts'
import type { HostPolicy } from '../model/policy/policy.ts'
import type { OpeningHours } from './allowed-hours.ts'
import { HostBreaker } from './host-breaker.ts'
import { type JobHostPolicy, type KnownHostPolicy, type Terms, termsFor } from './host-terms.ts'

/** How a pause by Retry-After is named in `HostState.pauseReason`. */
const retryAfterReason = 'retry-after'

export class HostEntry {
  readonly host: string
  policy: KnownHostPolicy
  hours: OpeningHours | null
  readonly breaker: HostBreaker

  // The token bucket. Reserved starts count as made.
  fullAt = 0
  lastAt = Number.NEGATIVE_INFINITY
  lastGapMs = 0
  inFlight = 0

  // Values that the host sent.
  crawlDelayMs = 0
  robotsPending = false
  retryAfterUntil = 0
  rateFactor = 1
  slowUntil = 0
  slowedAt = Number.NEGATIVE_INFINITY
  slowedBy: string | null = null
  /** The rate at the time of a 429, for hosts without a rate limit. */
  slowGapMs = 1_000

  /** When the host last responded in this process. */
  answeredAt = Number.NEGATIVE_INFINITY
  /** Since when every request failed without a response; null while it responds. */
  silentSince: number | null = null
  /** Since when its robots.txt cannot be fetched; null while it can. */
  robotsFailingSince: number | null = null
  isRobotsMute = false

  pausedUntil = 0
  pauseReason: string | null = null

  // The strictest recent terms of any job; they apply to every job while they last.
  strictGapMs = 0
  strictBurst = 1
  strictGapUntil = Number.NEGATIVE_INFINITY
  strictLimit = 1
  strictLimitUntil = Number.NEGATIVE_INFINITY

  // Requests in the current and the previous second, to compute half of an unlimited rate.
  secondStartedAt = 0
  secondCount = 0
  lastSecondCount = 0

  requests = 0
  failures = 0
  lastError: string | null = null
  lastErrorAt: number | null = null

  /** A job waits for an event of this host instead of a time. */
  hasWaiters = false
  isFreed = false
  isDirty = false
  /** It has changes that the next process must know. */
  isNews = true
  /** When it was last stored. */
  keptAt = Number.NEGATIVE_INFINITY
  /** Number of jobs with work here; an entry with jobs is never evicted. */
  holds = 0
  wasUsed = true

  #ask: JobHostPolicy | null = null
  #terms: Terms | null = null

  constructor(host: string, policy: KnownHostPolicy, hours: OpeningHours | null) {
    this.host = host
    this.policy = policy
    this.hours = hours
    this.breaker = new HostBreaker(policy.breaker)
  }

  /** Applies a new policy; the state of the host stays. */
  revise(policy: KnownHostPolicy, hours: OpeningHours | null): void {
    this.policy = policy
    this.hours = hours
    this.breaker.revise(policy.breaker)
    this.#ask = null
    // Terms of other jobs used the old policy.
    this.strictGapUntil = Number.NEGATIVE_INFINITY
    this.strictLimitUntil = Number.NEGATIVE_INFINITY
  }

  /** The same job asks many times in a row, so the last result is cached. */
  terms(ask: JobHostPolicy): Terms {
    if (this.#ask !== ask || this.#terms === null) {
      this.#ask = ask
      this.#terms = termsFor(this.policy, ask)
    }
    return this.#terms
  }

  /** The effective crawl delay: robots.txt, limited by the policy. */
  get crawlDelay(): number {
    return Math.min(this.crawlDelayMs, this.policy.crawlDelayCapMs)
  }
}

/** The stored form: what the next run needs to be as polite as this one. */
export function stateOf(entry: HostEntry): HostState {
  const isRetryAfter = entry.retryAfterUntil > entry.pausedUntil
  return {
    host: entry.host,
    nextAt: Math.ceil(Math.max(0, nextToken(entry.fullAt, ownGap(entry.policy), entry.policy.burst))),
    rateFactor: entry.rateFactor,
    slowUntil: entry.slowUntil,
    pausedUntil: Math.max(entry.retryAfterUntil, entry.pausedUntil),
    pauseReason: isRetryAfter ? retryAfterReason : entry.pauseReason,
    breaker: entry.breaker.isClosed ? 'closed' : 'open',
    breakerUntil: entry.breaker.until,
    window: entry.breaker.outcomes,
    lastError: entry.lastError,
    lastErrorAt: entry.lastErrorAt,
    requests: entry.requests,
    failures: entry.failures,
  }
}

export function restoreInto(entry: HostEntry, state: HostState): void {
  const fullAt = state.nextAt + (entry.policy.burst - 1) * ownGap(entry.policy)
  entry.fullAt = Math.max(entry.fullAt, fullAt)
  entry.rateFactor = state.rateFactor
  entry.slowUntil = state.slowUntil
  if (state.pauseReason === retryAfterReason) entry.retryAfterUntil = state.pausedUntil
  else entry.pausedUntil = state.pausedUntil
  entry.pauseReason = state.pauseReason === retryAfterReason ? null : state.pauseReason
  entry.breaker.restore(state.breaker, state.breakerUntil, state.window)
  entry.lastError = state.lastError
  entry.lastErrorAt = state.lastErrorAt
  entry.requests = state.requests
  entry.failures = state.failures
}

const ownGap = (policy: HostPolicy): number => gapOfRate(policy.rate)

const keepEveryMs = 1_000

/** Trouble, pauses and slow hosts at once. */
export const isWorthKeeping = (entry: HostEntry, now: number): boolean =>
  entry.isNews || entry.lastGapMs >= keepEveryMs || now - entry.keptAt >= keepEveryMs

export const isIdle = (entry: HostEntry): boolean =>
  entry.holds === 0 && entry.inFlight === 0 && !entry.isDirty && !entry.isFreed && !entry.robotsPending
