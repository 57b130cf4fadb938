// A host: the unit of politeness, with its state across jobs and restarts.

export type BreakerState = 'closed' | 'open' | 'half_open'

/** The politeness state of a host. It is stored, so that a restarted process keeps all waits. Times are epoch ms. */
export interface HostState {
  /** `URL.host`: name, and the port when it is not the default one. */
  host: string
  /** Earliest start of the next request. */
  nextAt: number
  /** The current rate is the configured rate times this factor. The factor is below 1 after a 429. */
  rateFactor: number
  /** When the slowdown ends and the rate recovers. */
  slowUntil: number
  /** No requests before this time: because of Retry-After, or a pause by the operator. */
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

/** The number of hosts in each state, and the hosts with the most problems. */
export interface HostCounts {
  breakers: Record<BreakerState, number>
  /** Number of hosts that are slowed down after a 429. */
  slowed: number
  /** Number of hosts that are paused, because of Retry-After or by the operator. */
  paused: number
  /** The hosts with the most problems, worst first; only the first few. */
  troubled: TroubledHost[]
}

export interface TroubledHost {
  host: string
  breaker: BreakerState
  rateFactor: number
}

/** The result of fetching robots.txt of an origin. */
export interface RobotsEntry {
  /** Scheme, host and port: a robots.txt applies to exactly one origin. */
  origin: string
  fetchedAt: number
  expiresAt: number
  /** `parsed`: `body` has rules. `unavailable` (4xx): everything is allowed. `unreachable` (5xx, network): nothing is
   *  allowed for now. */
  verdict: 'parsed' | 'unavailable' | 'unreachable'
  status: number | null
  body: string
  /** Number of failed fetches in a row. Set only for `unreachable`. */
  failures: number
}
