// Types of jobs as a service returns them, in camelCase.
import type { Face, JobKind, JobSpecInput, JobState, OutputFormat } from '../model/job.ts'
import type { browserKinds, RenderMode } from '../model/policy/rendering.ts'
import type { JobRetention } from '../model/policy/retention.ts'
import type { TaskWay } from '../model/policy/way.ts'
import type { Provenance } from '../model/record.ts'
import type { TaskKind, TaskState } from '../model/task.ts'
import type { PreviewLook } from './previews.ts'

/** The body of `POST /jobs`: without local files; outputs are named and downloaded later. */
export type NewJob = Omit<JobSpecInput, 'cookiesFile'>

export interface JobSummary {
  jobId: string
  status: JobState
  /** Why it is paused, or how it ended. */
  reason: string | null
  kind: JobKind
  face: Face
  scraperId: string
  scheduleId: string | null
  /** Trace id of the job; its log lines have it too. */
  traceId: string | null
  labels: Record<string, string>
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  /** When a paused job resumes automatically. */
  resumeAt: string | null
  links: { self: string; status: string; results: string; items: string; events: string }
  /** In a list only on request. */
  counts?: JobCountsShown
  /** In a list only on request. */
  live?: JobLive
}

export interface CreatedJob extends JobSummary {
  /** Warnings about options that are ignored. */
  warnings: string[]
}

export interface RaisedLimits {
  pages?: number | null
  bytes?: number | null
  browserSeconds?: number | null
  money?: number | null
}

export interface JobPolicy {
  jobId: string
  /** `from` is the origin of the value; `ceiling` is the operator's limit. */
  values: Array<{ path: string; value: unknown; from: string }>
  limits: { [Name in keyof RaisedLimits]?: number } & Record<string, unknown>
  spent: { pages: number; bytes: number; browserSeconds: number; money: number }
}

/** The current state of a job. */
export interface JobLive {
  source: JobSource
  tasksPerSecond: number
  inFlight: number
  waiting: JobWaiting[]
}

/** The source of its tasks: their number, and the first one. */
export interface JobSource {
  kind: 'seed_urls' | 'urls' | 'items' | 'sitemap_url' | 'upload_id' | 'file'
  count: number
  first: string[]
}

export interface JobWaiting {
  reason: string
  hosts: number
  tasks: number
  nextAt: string | null
  exampleHost: string
  /** The reason in words. */
  why: string
}

export interface JobTimeline {
  jobId: string
  /** When the first step begins; null before anything ended. */
  from: string | null
  stepMs: number
  tasks: number
  steps: Array<{ at: string; byReason: Record<string, number> }>
}

/** A request and its response, without bodies. */
export interface Exchange {
  method: string
  url: string
  finalUrl: string
  httpStatus: number
  httpVersion: string
  remoteAddress: string | null
  startedAt: string
  endedAt: string
  wireBytes: number
  bodyBytes: number
  hops: Array<{ from: string; to: string; status: number }>
  requestHeaders: Array<{ name: string; value: string }>
  responseHeaders: Array<{ name: string; value: string }>
}

/** The conduct receipt of a job. */
export interface JobConduct {
  jobId: string
  userAgent: string | null
  robots: {
    /** Null leaves it to the policy of each host. */
    policy: 'obey' | 'ignore' | null
    disallowed: number
    unreachable: number
    files: Array<{ origin: string; verdict: string; fetchedAt: string }>
  }
  browser: { mode: string; stealth: boolean; pages: number }
  personalData: 'keep' | 'mask' | 'drop'
  /** Consents beyond the polite defaults, with the key that gave them and the time. */
  consents: Array<{ what: string; value: string; who: string; at: string }>
  denied: number
  throttled: number
  hosts: Array<{
    host: string
    requests: number
    firstAt: string
    lastAt: string
    /** Per second, from the first to the last. */
    achievedRate: number | null
  }>
  moreHosts: boolean
}

export interface JobCountsShown {
  tasks: number
  pages: number
  records: number
  bytes: number
  rendered: number
  exactlyParsed: number
  llmTokens: number
  byState: Record<TaskState, number>
  byReason: Record<string, number>
  linksRefused: Record<string, number>
  /** Records and sitemaps with each warning, by code. */
  warnings: Record<string, number>
}

/** Summary of the job's source. */
export interface JobAsked {
  source: JobSource
  userAgent: string | null
  robots: 'obey' | 'ignore'
  render: RenderMode
  browser: (typeof browserKinds)[number]
  maxPages: number | null
  llm: 'off' | 'fallback' | 'propose-rules'
  llmTokens: number
  outputs: Array<{ path: string; format: OutputFormat; done: boolean }>
  /** Own retention of the job, if set. */
  retention: JobRetention | null
}

export interface JobStatus extends JobSummary {
  counts: JobCountsShown
  progress: { done: number; total: number; inFlight: number; isTotalKnown: boolean }
  rates: { tasksPerSecond: number; averageTasksPerSecond: number | null }
  hosts: {
    active: number
    busiest: Array<{ host: string; byState: Record<string, number>; trouble: string[] }> | null
  }
  waiting: JobWaiting[]
  retries: { tasks: number; nextAt: string | null }
  /** The highest possible rate and what limits it; null when nothing waits. */
  pace: {
    perSecond: number | null
    reason: 'default' | 'job' | 'domain' | 'crawl-delay' | 'slowdown' | 'unlimited'
    why: string
    slowestHost: string
    /** Known work at the slowest host. */
    pages: number
    secondsLeft: number
  } | null
  /** `why` says how the estimate was made, or why there is none. */
  estimate: { seconds: number | null; why: string }
  ingest: { done: boolean; rows: number; blank: number; rejected: number; duplicates: number }
  asked: JobAsked
}

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

export interface ItemSummary {
  itemId: string
  taskId: string
  kind: TaskKind
  url: string
  status: TaskState
  reason: string | null
  message: string | null
  attempts: number
  depth: number
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

export interface ItemLook extends PreviewLook {
  fields: Array<{ field: string; record: number; node: number }>
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

/** Raw pages as Parquet in the storage of the service. */
export interface RawExport {
  jobId: string
  state: 'none' | 'running' | 'partial' | 'complete' | 'interrupted' | 'failed'
  rows: number
  bytes: number
  updatedAt: string | null
  trouble: string | null
  /** The key prefix of the files. */
  prefix: string
}

export interface RawExportFile {
  /** Below the prefix: `domain=…/date=YYYY-MM-DD/part-….parquet`. */
  path: string
  bytes: number
  url: string
}
