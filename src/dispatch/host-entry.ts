// The state of one host in memory, and its stored form.
import { gapOfRate, nextToken } from '../lib/collections/token-bucket.ts'
import type { HostState } from '../model/host.ts'
import type { HostPolicy } from '../model/policy/policy.ts'
import type { OpeningHours } from './allowed-hours.ts'
import { HostBreaker } from './host-breaker.ts'
import { type JobHostPolicy, type KnownHostPolicy, type Terms, termsFor } from './host-terms.ts'

/** The `pauseReason` of a host that is paused because of Retry-After. */
const retryAfterReason = 'retry-after'

export class HostEntry {
  readonly host: string
  policy: KnownHostPolicy
  hours: OpeningHours | null
  readonly breaker: HostBreaker

  // The token bucket. A reserved slot counts as used.
  fullAt = 0
  lastAt = Number.NEGATIVE_INFINITY
  lastGapMs = 0
  inFlight = 0

  // Values that the host has set by its responses.
  crawlDelayMs = 0
  robotsPending = false
  retryAfterUntil = 0
  rateFactor = 1
  slowUntil = 0
  slowedAt = Number.NEGATIVE_INFINITY
  slowedBy: string | null = null
  /** For a host without a rate limit: the actual interval between requests when it sent a 429. A slowdown lengthens this
   *  interval. */
  slowGapMs = 1_000

  /** When the host last responded in this process. */
  answeredAt = Number.NEGATIVE_INFINITY
  /** Since when every request failed without a response; null while the host responds. */
  silentSince: number | null = null
  /** Since when the host's robots.txt cannot be fetched; null while it can. */
  robotsFailingSince: number | null = null
  isRobotsMute = false

  pausedUntil = 0
  pauseReason: string | null = null

  // The strictest terms of any job that requested a slot recently. They apply to all jobs at this host until they expire.
  strictGapMs = 0
  strictBurst = 1
  strictGapUntil = Number.NEGATIVE_INFINITY
  strictLimit = 1
  strictLimitUntil = Number.NEGATIVE_INFINITY

  // Number of requests in the current and in the previous second, which gives the actual rate. If the host has no rate limit, a
  // slowdown after a 429 starts from the actual rate.
  secondStartedAt = 0
  secondCount = 0
  lastSecondCount = 0

  requests = 0
  failures = 0
  lastError: string | null = null
  lastErrorAt: number | null = null

  /** Whether a job waits for an event of this host, such as a response. */
  hasWaiters = false
  isFreed = false
  isDirty = false
  /** Whether the entry has changes that must be stored at once, because the next process needs them. */
  isNews = true
  /** When the entry was last stored. */
  keptAt = Number.NEGATIVE_INFINITY
  /** Number of jobs with work at this host. An entry with jobs is never evicted. */
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

  /** Applies a new policy. The state of the host stays. */
  revise(policy: KnownHostPolicy, hours: OpeningHours | null): void {
    this.policy = policy
    this.hours = hours
    this.breaker.revise(policy.breaker)
    this.#ask = null
    // Drop the remembered terms, because they were computed from the old policy.
    this.forgetStrictTerms()
  }

  forgetStrictTerms(): void {
    this.strictGapUntil = Number.NEGATIVE_INFINITY
    this.strictLimitUntil = Number.NEGATIVE_INFINITY
  }

  /** The terms of a job at this host. The last result is cached, because the same job often asks many times in a row. */
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

/** The stored form of an entry. The next process loads it, so a restart does not make requests less polite. */
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

/** Whether to store the entry now. Problems, pauses and hosts with a low rate are stored at once, others once a second. */
export const isWorthKeeping = (entry: HostEntry, now: number): boolean =>
  entry.isNews || entry.lastGapMs >= keepEveryMs || now - entry.keptAt >= keepEveryMs

export const isIdle = (entry: HostEntry): boolean =>
  entry.holds === 0 && entry.inFlight === 0 && !entry.isDirty && !entry.isFreed && !entry.robotsPending
