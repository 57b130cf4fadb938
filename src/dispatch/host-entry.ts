// What is known of one host while the program runs, and how it is kept in the store.
import { gapOfRate, nextToken } from '../lib/collections/token-bucket.ts'
import type { HostState } from '../model/host.ts'
import type { HostPolicy } from '../model/policy/policy.ts'
import type { OpeningHours } from './allowed-hours.ts'
import { HostBreaker } from './host-breaker.ts'
import { type JobHostPolicy, type KnownHostPolicy, type Terms, termsFor } from './host-terms.ts'

/** How a pause by Retry-After is named in `HostState.pauseReason`. */
export const retryAfterReason = 'retry-after'

export class HostEntry {
  readonly host: string
  policy: KnownHostPolicy
  hours: OpeningHours | null
  readonly breaker: HostBreaker

  // The bucket. Reserved starts count as made.
  fullAt = 0
  lastAt = Number.NEGATIVE_INFINITY
  lastGapMs = 0
  inFlight = 0

  // What the host said.
  crawlDelayMs = 0
  robotsPending = false
  retryAfterUntil = 0
  rateFactor = 1
  slowUntil = 0
  slowedAt = Number.NEGATIVE_INFINITY
  slowedBy: string | null = null
  /** The pace at the time of a 429, for hosts without a rate of their own. */
  slowGapMs = 1_000

  /** When it last gave any answer, in this process. */
  answeredAt = Number.NEGATIVE_INFINITY
  /** Since when every request failed without an answer; null while it answers. */
  silentSince: number | null = null
  /** Since when its robots.txt cannot be read; null while it can. */
  robotsFailingSince: number | null = null
  isRobotsMute = false

  pausedUntil = 0
  pauseReason: string | null = null

  // The strictest terms asked for lately: they hold for every job while they last.
  strictGapMs = 0
  strictBurst = 1
  strictGapUntil = Number.NEGATIVE_INFINITY
  strictLimit = 1
  strictLimitUntil = Number.NEGATIVE_INFINITY

  // Requests in the running second and in the one before, to know what half of an unlimited rate is.
  secondStartedAt = 0
  secondCount = 0
  lastSecondCount = 0

  requests = 0
  failures = 0
  lastError: string | null = null
  lastErrorAt: number | null = null

  /** Someone was told to wait for an event instead of a time. */
  hasWaiters = false
  isFreed = false
  isDirty = false
  /** It changed in a way that the next process must know of. */
  isNews = true
  /** When the store was last told of it. */
  keptAt = Number.NEGATIVE_INFINITY
  /** How many jobs have work here; such an entry stays. */
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

  /** Other terms from now on; what is known of the host stays. */
  revise(policy: KnownHostPolicy, hours: OpeningHours | null): void {
    this.policy = policy
    this.hours = hours
    this.breaker.revise(policy.breaker)
    this.#ask = null
    // What other jobs asked for was asked on the old terms.
    this.strictGapUntil = Number.NEGATIVE_INFINITY
    this.strictLimitUntil = Number.NEGATIVE_INFINITY
  }

  /** The same job asks many times in a row, so the last answer is kept. */
  terms(ask: JobHostPolicy): Terms {
    if (this.#ask !== ask || this.#terms === null) {
      this.#ask = ask
      this.#terms = termsFor(this.policy, ask)
    }
    return this.#terms
  }

  /** The crawl-delay that is honoured: what robots.txt says, up to the policy's cap. */
  get crawlDelay(): number {
    return Math.min(this.crawlDelayMs, this.policy.crawlDelayCapMs)
  }
}

/** For the store: what the next run must know to be as polite as this one. */
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
