// Keeping: what has been there long enough to go, and how it goes.
import type { JobRetention } from '../model/policy/retention.ts'

/** A job that has ended, in brief: its spec may be long. */
export interface EndedJob {
  id: string
  finishedAt: number
  scheduleId: string | null
  retention: JobRetention | null
  /** What paging goes by. */
  place: number
}

export interface KeepingStore {
  /** Oldest first. */
  ended(options: { after: number; limit: number }): Promise<EndedJob[]>
  recordCount(jobId: string): Promise<number>
  /** Takes away at most `limit` records of a job, with the answers that stand on them; says how many. The job's counts stay as they were. */
  forgetRecords(jobId: string, limit: number): Promise<number>
  /** How many webhooks `OutboxStore.forget` would take away (of one job), if asked long enough. */
  oldWebhooks(before: number, jobId?: string): Promise<number>
  /** How many answers `AnswerStore.forget` would. */
  oldAnswers(before: number): Promise<number>
}
