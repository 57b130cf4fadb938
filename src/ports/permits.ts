// Permits: what a worker asks before any request beyond its task's first one.

export interface PermitRequest {
  jobId: string
  n: number
  url: string
  /**
   * `hop`: a redirect target, which also enters the job's seen-set. `landing`: where a browser was redirected to, judged like a
   * hop, but asked already, so that it waits for no turn. `extra`: any other request of the task. `part`: what a rendered page
   * loads from another host, which has a pace, a breaker and perhaps a place on the do-not-crawl list, but no robots.txt for parts.
   * `robots`: where a robots.txt redirects to, which no robots.txt judges.
   */
  purpose: 'hop' | 'landing' | 'extra' | 'part' | 'robots'
  /** The request of the task before this one, and when it really went out: a slow connection is not to shorten the distance. */
  sent?: { url: string; at: number } | undefined
}

/** Resolves when the request may start, after waiting its host's turn; rejects with the Failure that forbids it. */
export type AskPermit = (request: PermitRequest, signal: AbortSignal) => Promise<void>
