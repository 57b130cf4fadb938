// Types of jobs as a service returns them, in camelCase.
import type { ItemShown, ResultPageShown } from '../model/api/items.ts'
import type { JobCountsShown, JobSummary } from '../model/api/jobs.ts'
import type { Face, JobSpecInput, JobState } from '../model/job.ts'
import type { Provenance } from '../model/record.ts'
import type { TaskState } from '../model/task.ts'

export type { ItemLook, ItemSummary, RejectedRow } from '../model/api/items.ts'
export type {
  Exchange,
  JobConduct,
  JobPolicy,
  JobTimeline,
  RaisedLimits,
  RawExport,
  RawExportFile,
} from '../model/api/job-reports.ts'
export type {
  CreatedJob,
  JobAsked,
  JobCountsShown,
  JobLive,
  JobSource,
  JobStatus,
  JobSummary,
  JobWaiting,
} from '../model/api/jobs.ts'

/** The body of `POST /jobs`. A job of a service cannot name local files; its outputs are downloaded later. */
export type NewJob = Omit<JobSpecInput, 'cookiesFile'>

export interface JobFilter {
  status?: JobState | readonly JobState[]
  face?: Face
  scheduleId?: string
  labels?: Record<string, string>
  createdFrom?: Date | string
  createdBefore?: Date | string
  /** A word in the id, the labels or the first URL. */
  text?: string
  /** Include the counts of each job. */
  counts?: boolean
  /** Include the rate, progress and waits of each job. */
  live?: boolean
  pageSize?: number
}

export interface ItemFilter {
  status?: TaskState
  reason?: string
  /** An outcome. Finds tasks of which at least one attempt ended with it, even if a later attempt succeeded. */
  attempt?: string
  /** A part of the URL, the item id or the message. */
  text?: string
  pageSize?: number
  signal?: AbortSignal
}

export type Item = Omit<ItemShown, 'records'> & { records: RecordResult[] }

interface ResultOf {
  itemId: string
  taskId: string
  url: string
}

export interface RecordResult extends ResultOf {
  status: 'success'
  finalUrl: string
  httpStatus: number
  fetchedAt: string
  scraper: string
  data: Record<string, unknown>
  /** The input row of the record's task; absent for a plain URL. */
  input?: Record<string, unknown>
  /** The source of each field; only on request. */
  provenance?: Provenance
  /** Warnings about the record; absent if there are none. */
  warnings?: Array<{ code: string; message: string }>
}

export interface FailedResult extends ResultOf {
  status: 'error'
  error: { code: string; message: string | null; attempts: number }
}

export type ResultItem = RecordResult | FailedResult

export type ResultPage = Omit<ResultPageShown, 'items'> & { items: ResultItem[] }

export interface ResultOptions {
  status?: 'success' | 'error' | 'all'
  pageSize?: number
  /** Include the source of each field. */
  provenance?: boolean
  /** Whether pages of an ended job include its manifest, which takes time. Default: true. */
  metadata?: boolean
  /** Wait for further results until the job has ended. */
  follow?: boolean
  signal?: AbortSignal
}

/** An event about any job. */
export type ServiceEvent =
  | { event: 'ready'; data: Record<string, never> }
  | { event: 'job'; data: JobSummary & Required<Pick<JobSummary, 'counts' | 'live'>> }
  | { event: 'deleted'; data: { jobId: string } }
  | { event: 'dropped'; data: { events: number } }

/** An event about one job. */
export type JobEvent =
  | {
      event: 'progress'
      data: {
        jobId: string
        status: JobState
        reason: string | null
        counts: JobCountsShown
        inFlight: number
      }
    }
  | { event: 'status'; data: { jobId: string; status: JobState; reason: string | null } }
  | {
      event: 'task'
      data: {
        taskId: string
        url: string
        status: TaskState
        reason: string
        message: string | null
        durationMs: number
        attempt: number
      }
    }
  /** Number of events that were dropped because the reader was too slow. */
  | { event: 'dropped'; data: { events: number } }
