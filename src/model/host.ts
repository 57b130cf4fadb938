// A host: the unit of politeness, with its state across jobs and restarts.

export type BreakerState = 'closed' | 'open' | 'half_open'

/** Stored, so that a restarted process is equally polite. */
export interface HostState {
  /** `URL.host`: name, and the port when it is not the default one. */
  host: string
  /** Earliest start of the next request. */
  nextAt: number
  /** Share of the configured rate in force; under 1 after a 429. */
  rateFactor: number
  /** When the slowdown ends and the rate recovers. */
  slowUntil: number
  /** From Retry-After, or a pause by the operator; no requests before. */
  pausedUntil: number
  pauseReason: string | null
  breaker: BreakerState
  breakerUntil: number
  /** The recent outcomes for the breaker, newest last: 1 is a failure. */
  window: number[]
  lastError: string | null
  lastErrorAt: number | null
  requests: number
  failures: number
}

/** Counts of hosts by state, with the worst ones. */
export interface HostCounts {
  breakers: Record<BreakerState, number>
  /** Slowed down after a 429. */
  slowed: number
  /** Paused: Retry-After, or a pause by the operator. */
  paused: number
  /** The worst hosts first; limited. */
  troubled: TroubledHost[]
}

export interface TroubledHost {
  host: string
  breaker: BreakerState
  rateFactor: number
}

/** The result of fetching robots.txt of an origin. */
export interface RobotsEntry {
  /** Scheme, host and port: robots.txt applies to exactly that. */
  origin: string
  fetchedAt: number
  expiresAt: number
  /** `parsed`: `body` has rules. `unavailable` (4xx): everything is allowed. `unreachable` (5xx, network): nothing is
   *  allowed for now. */
  verdict: 'parsed' | 'unavailable' | 'unreachable'
  status: number | null
  body: string
  /** Failed tries in a row, for `unreachable`. */
  failures: number
}
