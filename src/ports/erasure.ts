// Erasure: what the store holds of a host, taken out of it for good.

/** Whose data goes. */
export interface ErasedHost {
  /** In every name that fits: what rows are looked for by, before each is judged. */
  text: string
  /** `example.com` or `example.com:8080`. */
  fits: (host: string) => boolean
}

export interface ErasedJob {
  jobId: string
  /** Tasks of the host that have not ended. */
  open: number
}

export interface ErasedTask {
  n: number
  itemId: string | null
  records: number
}

export interface ForgottenRows {
  robots: number
  hosts: number
  webhooks: number
  rejected: number
}

export interface ErasureStore {
  /** Jobs with tasks at the host, or with records that came from it in the end. Oldest first. */
  jobsOf(host: ErasedHost): Promise<ErasedJob[]>
  /** Those tasks, by number; `after` is the last one that was looked at, and null says that there are no more. */
  tasksOf(
    jobId: string,
    host: ErasedHost,
    page: { after: number; limit: number },
  ): Promise<{ tasks: ErasedTask[]; after: number | null }>
  /**
   * Takes their records (with answers and dead letters), addresses, inputs, messages and references to pages and files. The tasks stay
   * as they ended, so that the job's counts fit; records are counted off.
   */
  blankTasks(jobId: string, numbers: readonly number[]): Promise<void>
  /** robots.txt, how the host stands and was asked, webhooks and rejected rows that speak of it; or only counts them. */
  forgetHost(host: ErasedHost, options: { dryRun: boolean }): Promise<ForgottenRows>
  /** What was taken out is gone from the files as well, as far as this can be done from here. Others wait meanwhile. */
  scrub(): Promise<void>
}
