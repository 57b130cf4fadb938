// A host: what politeness is counted by, and what we know of it across jobs and restarts.

export type BreakerState = 'closed' | 'open' | 'half_open'

/** Kept in the store, so that a restart is as polite as going on would have been. */
export interface HostState {
  /** `URL.host`: name, and the port when it is not the default one. */
  host: string
  /** Earliest start of the next request. */
  nextAt: number
  /** Share of the configured rate in force; under 1 after a 429. */
  rateFactor: number
  /** When the slowdown ends and the rate starts to come back. */
  slowUntil: number
  /** From Retry-After, or a pause by the operator; nothing is asked before. */
  pausedUntil: number
  pauseReason: string | null
  breaker: BreakerState
  breakerUntil: number
  /** The last outcomes the breaker looks at, newest last: 1 is a failure. */
  window: number[]
  lastError: string | null
  lastErrorAt: number | null
  requests: number
  failures: number
}

/** Hosts in figures: how many are as usual, how many are not, and which of these stand out. */
export interface HostCounts {
  breakers: Record<BreakerState, number>
  /** Asked more slowly since they answered 429. */
  slowed: number
  /** Not asked for a while: Retry-After, or a pause. */
  paused: number
  /** Those that are furthest from usual first; bounded, whatever there is. */
  troubled: TroubledHost[]
}

export interface TroubledHost {
  host: string
  breaker: BreakerState
  rateFactor: number
}

/** What robots.txt of an origin said, or that it could not be had. */
export interface RobotsEntry {
  /** Scheme, host and port: robots.txt holds for exactly that. */
  origin: string
  fetchedAt: number
  expiresAt: number
  /** `parsed`: `body` holds rules. `unavailable` (4xx): all allowed. `unreachable` (5xx, network): nothing allowed for now. */
  verdict: 'parsed' | 'unavailable' | 'unreachable'
  status: number | null
  body: string
  /** Failed tries in a row, for `unreachable`. */
  failures: number
}
