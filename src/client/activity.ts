// Pages, records and errors of all jobs over time.
export type ActivityRange = '24h' | '7d' | '30d'

export interface ActivityCounts {
  pages: number
  records: number
  attempts: number
  /** Attempts that failed. Skipped pages are not errors. */
  errors: number
}

export interface Activity extends ActivityCounts {
  range: ActivityRange
  from: string
  stepMs: number
  /** Steps without an attempt are left out. */
  steps: Array<ActivityCounts & { at: string; byReason: Record<string, number> }>
  /** Most first. */
  failures: Array<{ host: string; reason: string; attempts: number; jobId: string }>
}
