// Erasure: the receipt of the deleted data of a host.

/** Replaces the URL of an erased task; the name is reserved by RFC 6761. */
export const erasedPlace = { host: 'erased.invalid', url: 'https://erased.invalid/' }

/** Number of erased things by kind. */
export interface ErasedCounts {
  /** Jobs that had data of the host. */
  jobs: number
  tasks: number
  records: number
  /** Raw pages, overwritten in place. */
  pages: number
  /** Screenshots, downloads, files of items, and texts that `changeTracking` compares. */
  files: number
  /** Output files that were rewritten without the host's data, and deleted Parquet files with its raw pages. */
  exports: number
  /** Stored robots.txt files. */
  robots: number
  /** State and policy of the host. */
  hosts: number
  cookies: number
  webhooks: number
  rejected: number
  /** All cached responses of language models, because they do not name a host. */
  modelAnswers: number
}

export interface ErasureReceipt {
  host: string
  /** ISO 8601. */
  at: string
  by: string
  dryRun: boolean
  /** Whether the host is on the do-not-crawl list from now on. */
  neverAgain: boolean
  counts: ErasedCounts
  /** Data that was not erased, and what to do about it. */
  notes: string[]
}
