// Erasure: deletes everything that the store holds about a host.

/** The host whose data is deleted. */
export interface ErasedHost {
  /** The host name without port. The store searches rows that contain it, then checks the host of each row with `fits`. */
  text: string
  /** Whether the data of `host` (`example.com` or `example.com:8080`) must be deleted. */
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
  /** The job's tasks at the host, by number. `after` is the last number of the previous page; null: no more pages. */
  tasksOf(
    jobId: string,
    host: ErasedHost,
    page: { after: number; limit: number },
  ): Promise<{ tasks: ErasedTask[]; after: number | null }>
  /**
   * Deletes the data of these tasks: records (with cached responses and dead letters), URLs, inputs, messages, and references to pages
   * and files. The tasks keep their outcome, so that the job's task counts stay correct. The job's record count is reduced.
   */
  blankTasks(jobId: string, numbers: readonly number[]): Promise<void>
  /** Deletes robots.txt, host state and conduct, and webhooks and rejected rows that name the host. A dry run only counts. */
  forgetHost(host: ErasedHost, options: { dryRun: boolean }): Promise<ForgottenRows>
  /** Removes the bytes of deleted rows from the database files, if the backend can do so. Other writers wait until it is done. */
  scrub(): Promise<void>
}
