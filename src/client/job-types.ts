// Types of jobs as a service returns them, in camelCase.
import type { ItemSummary } from '../model/api/items.ts'
import type { JobCountsShown, JobSummary } from '../model/api/jobs.ts'
import type { Face, JobSpecInput, JobState } from '../model/job.ts'
import type { TaskWay } from '../model/policy/way.ts'
import type { Provenance } from '../model/record.ts'
import type { TaskState } from '../model/task.ts'

export type { ItemLook, ItemSummary } from '../model/api/items.ts'
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

/** The body of `POST /jobs`: without local files; outputs are named and downloaded later. */
export type NewJob = Omit<JobSpecInput, 'cookiesFile'>

export interface JobFilter {
  status?: JobState | readonly JobState[]
  face?: Face
  scheduleId?: string
  labels?: Record<string, string>
  createdFrom?: Date | string
  createdBefore?: Date | string
  /** A word of the id, the labels, or the first address. */
  text?: string
  /** With the counts of each job. */
  counts?: boolean
  /** Include the current state of each. */
  live?: boolean
  pageSize?: number
}

export interface ItemFilter {
  status?: TaskState
  reason?: string
  /** A part of the URL, the item id or the message. */
  text?: string
  pageSize?: number
  signal?: AbortSignal
}

export interface Item extends ItemSummary {
  input: unknown
  history: Array<{
    attempt: number
    /** Since when it waited. */
    queuedAt: string
    startedAt: string
    /** Of the answer. */
    endedAt: string
    /** When it was parsed; null if nothing was parsed. */
    readAt: string | null
    /** When it was committed. */
    storedAt: string | null
    outcome: string
    message: string | null
    httpStatus: number | null
    bytes: number
    way: TaskWay
  }>
  records: RecordResult[]
  /** Files that can be downloaded. */
  artifacts: string[]
}

export interface RejectedRow {
  row: number
  text: string
  reason: string
}

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
  /** The input row of the record; absent for a plain URL. */
  input?: Record<string, unknown>
  /** Source of each field; on request. */
  provenance?: Provenance
  /** Warnings about the record; absent if there are none. */
  warnings?: Array<{ code: string; message: string }>
}

export interface FailedResult extends ResultOf {
  status: 'error'
  error: { code: string; message: string | null; attempts: number }
}

export type ResultItem = RecordResult | FailedResult

export interface ResultPage {
  jobId: string
  status: JobState
  /** No more results follow. */
  complete: boolean
  items: ResultItem[]
  nextCursor: string | null
  metadata?: Record<string, unknown>
  /** Links to the manifest in parts of 1,000. */
  parts?: string[]
}

export interface ResultOptions {
  status?: 'success' | 'error' | 'all'
  pageSize?: number
  /** Include the source of each field. */
  provenance?: boolean
  /** Whether pages of an ended job include its manifest, which takes time. Default: true. */
  metadata?: boolean
  /** Continues until the job has ended. */
  follow?: boolean
  signal?: AbortSignal
}

/** Events of all jobs. */
export type ServiceEvent =
  | { event: 'ready'; data: Record<string, never> }
  | { event: 'job'; data: JobSummary & Required<Pick<JobSummary, 'counts' | 'live'>> }
  | { event: 'deleted'; data: { jobId: string } }
  | { event: 'dropped'; data: { events: number } }

/** Events of a job. */
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
  /** Number of dropped events, because the reader was too slow. */
  | { event: 'dropped'; data: { events: number } }
