// Permits: what a worker asks before any request beyond its task's first one.

export interface PermitRequest {
  jobId: string
  n: number
  url: string
  /**
   * `hop`: a redirect target, which also enters the job's seen-set. `extra`: any other request of the task. `robots`: where a
   * robots.txt redirects to, which no robots.txt judges.
   */
  purpose: 'hop' | 'extra' | 'robots'
}

/** Resolves when the request may start, after waiting its host's turn; rejects with the Failure that forbids it. */
export type AskPermit = (request: PermitRequest, signal: AbortSignal) => Promise<void>
