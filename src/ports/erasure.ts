// Erasure: deletes everything that the store holds about a host.

/** Whose data goes. */
export interface ErasedHost {
  /** The name patterns of the host: rows are found by them, then checked one by one. */
  text: string
  /** `example.com` or `example.com:8080`. */
  fits: (host: string) => boolean
}

interface ErasedJob {
  jobId: string
  /** Tasks of the host that have not ended. */
  open: number
}

interface ErasedTask {
  n: number
  itemId: string | null
  records: number
}

interface ForgottenRows {
  robots: number
  hosts: number
  webhooks: number
  rejected: number
}

export interface ErasureStore {
  /** Jobs with tasks at the host, or with records that came from it after a redirect. Oldest first. */
  jobsOf(host: ErasedHost): Promise<ErasedJob[]>
  /** Those tasks, by number. `after` is the last one that was read; null means that there are no more. */
  tasksOf(
    jobId: string,
    host: ErasedHost,
    page: { after: number; limit: number },
  ): Promise<{ tasks: ErasedTask[]; after: number | null }>
  /**
   * Deletes their records (with cached responses and dead letters), URLs, inputs, messages and references to pages and files. The tasks
   * keep their outcome, so that the job's counts match. Record counts are reduced.
   */
  blankTasks(jobId: string, numbers: readonly number[]): Promise<void>
  /** Deletes robots.txt, host state and conduct, webhooks and rejected rows that name the host; or only counts them. */
  forgetHost(host: ErasedHost, options: { dryRun: boolean }): Promise<ForgottenRows>
  /** Removes the deleted data from the files too, as far as the backend can. Other writers wait meanwhile. */
  scrub(): Promise<void>
}
