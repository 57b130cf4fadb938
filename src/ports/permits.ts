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
  /** How many permits expired before they arrived. The next one is valid longer. */
  lapsed?: number
}

/** The response to another process. `heldMs`: how long the request waited. `goodForMs`: how long the permit is valid after the response; null: no limit. */
export interface Permit {
  heldMs: number
  goodForMs: number | null
}

/** Waits for the host's slot. Resolves with the time until which the request may start. Rejects with the Failure that forbids it. */
export type AskPermit = (request: PermitRequest, signal: AbortSignal) => Promise<number>

/** For a single process: no other process uses the same hosts, so a slot does not expire. */
export const neverLapses = Number.POSITIVE_INFINITY
