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

export interface RetentionStore {
  /** Oldest first. */
  ended(options: { after: number; limit: number }): Promise<EndedJob[]>
  recordCount(jobId: string): Promise<number>
  /** Deletes at most `limit` records of a job and the answers that refer to them. Returns how many. The job's counts are unchanged. */
  forgetRecords(jobId: string, limit: number): Promise<number>
  /** How many webhooks (of one job) `OutboxStore.forget` would delete in total. */
  oldWebhooks(before: number, jobId?: string): Promise<number>
  /** How many answers `AnswerStore.forget` would delete. */
  oldAnswers(before: number): Promise<number>
}
