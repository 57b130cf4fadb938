// Retention: finds and deletes expired data.
import type { JobRetention } from '../model/policy/retention.ts'

/** The fields of an ended job that retention needs. The spec may be large, so it is left out. */
export interface EndedJob {
  id: string
  finishedAt: number
  scheduleId: string | null
  retention: JobRetention | null
  /** The cursor for paging. */
  place: number
}

/** How much a call deletes: at most `limit` rows. A dry run deletes nothing and returns the number of rows that could be deleted. */
export interface Extent {
  limit: number
  dryRun?: boolean
}

export interface RetentionStore {
  /** Jobs that have ended, oldest first. */
  ended(options: { after: number; limit: number }): Promise<EndedJob[]>
  /** Deletes records of a job and the cached responses that refer to them. The job's counts are unchanged. */
  forgetRecords(jobId: string, extent: Extent): Promise<number>
  /**
   * Deletes delivered or dead webhooks and their logs, if the last attempt was before `before`. With `jobId`, only webhooks of that
   * job. The job must have ended before `before` or be deleted, because a running job may add the same webhook ids again.
   */
  forgetWebhooks(before: number, extent: Extent, jobId?: string): Promise<number>
  /** Deletes cached responses that their host has not confirmed since `before`. */
  forgetAnswers(before: number, extent?: { dryRun?: boolean }): Promise<number>
}
