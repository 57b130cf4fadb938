// Permits: a worker needs one for each request of a task after the first.

export interface PermitRequest {
  jobId: string
  n: number
  url: string
  /**
   * `hop`: a redirect target; it is also added to the job's seen-set. `landing`: a navigation of a rendered page, checked like a hop;
   * the browser's proxy then requests its slot as `part`. `extra`: any other request of the task. `part`: a resource that a rendered
   * page loads from another host; rate, breaker and do-not-crawl list apply, robots.txt does not. `robots`: a redirect target of
   * a robots.txt; robots.txt does not apply to it.
   */
  purpose: 'hop' | 'landing' | 'extra' | 'part' | 'robots'
  /** The previous request of the task and when it was really sent, so that a slow connection does not shorten the interval. */
  sent?: { url: string; at: number } | undefined
  /** How many permits for this request expired before the worker received them. The next permit is valid longer. */
  lapsed?: number
}

/** A permit as sent to another process. It has durations only, because the clocks of two machines differ. */
export interface Permit {
  /** How long the coordinator held the request until the slot was free. */
  heldMs: number
  /** How long the permit is valid after it is sent; null: no limit. */
  goodForMs: number | null
}

/** Waits for a slot at the host. Resolves with the latest time at which the request may be sent. Rejects with the Failure that
 *  forbids the request. */
export type AskPermit = (request: PermitRequest, signal: AbortSignal) => Promise<number>

/** The result of `AskPermit` if one process sends all requests. No other process uses the host, so a slot does not expire. */
export const neverLapses = Number.POSITIVE_INFINITY
