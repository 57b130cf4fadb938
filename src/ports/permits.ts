// Permits: what a worker asks before any request beyond its task's first one.

export interface PermitRequest {
  jobId: string
  n: number
  url: string
  /**
   * `hop`: a redirect target, which also enters the job's seen-set. `landing`: where the document of a rendered page
   * goes on to, judged like a hop; the browser's proxy then asks for its turn as `part`. `extra`: any other request of the task. `part`: what a rendered page
   * loads from another host, which has a pace, a breaker and perhaps a place on the do-not-crawl list, but no robots.txt for parts.
   * `robots`: where a robots.txt redirects to, which no robots.txt judges.
   */
  purpose: 'hop' | 'landing' | 'extra' | 'part' | 'robots'
  /** The request of the task before this one, and when it really went out: a slow connection is not to shorten the distance. */
  sent?: { url: string; at: number } | undefined
  /** How many permits for it came too late to be used: the next one is good for longer. */
  lapsed?: number
}

/** What is answered to another process: how long the question was kept, and how long from its answer on the request may start; null is for ever. */
export interface Permit {
  heldMs: number
  goodForMs: number | null
}

/** Resolves when the request may start, after waiting its host's turn, with the time until when it may; rejects with the Failure that forbids it. */
export type AskPermit = (request: PermitRequest, signal: AbortSignal) => Promise<number>

/** Where nobody else asks the same hosts, a turn waits for whoever has it. */
export const neverLapses = Number.POSITIVE_INFINITY
