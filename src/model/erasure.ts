// Erasure: what was taken away of a host's data, written down for whoever asked for it.

/** What an erased task has in place of its address; the name is nobody's, by RFC 6761. */
export const erasedPlace = { host: 'erased.invalid', url: 'https://erased.invalid/' }

/** Counts by kind. */
export interface ErasedCounts {
  /** Jobs that had something of it. */
  jobs: number
  tasks: number
  records: number
  /** Raw pages, overwritten where they lay. */
  pages: number
  /** Screenshots, downloads and files of items. */
  files: number
  /** Files that a service made, written anew without it, and Parquet of its pages. */
  exports: number
  /** robots.txt. */
  robots: number
  /** How it stood and was asked. */
  hosts: number
  cookies: number
  webhooks: number
  rejected: number
  /** Of language models, all of them: they do not say of which host they are. */
  modelAnswers: number
}

export interface ErasureReceipt {
  host: string
  /** ISO 8601. */
  at: string
  by: string
  dryRun: boolean
  /** Whether it is on the do-not-crawl list from now on. */
  neverAgain: boolean
  counts: ErasedCounts
  /** What was not reached, and what is to be done about it. */
  notes: string[]
}
