// Messages between processes of a cluster: fetched pages to parse, and outcomes of tasks.
import type { FailureJson } from './failures.ts'
import type { TaskReport, TimedTask } from './lane.ts'
import type { Reason, TaskState } from './task.ts'

/** Names of the streams, one for each kind of work. */
export const streams = {
  http: 'fetch.http',
  browser: 'fetch.browser',
  process: 'process',
  ingest: 'ingest',
} as const
export type StreamName = (typeof streams)[keyof typeof streams]

/** A report in JSON form: 64-bit keys are text. */
export interface PackedReport extends Omit<TaskReport, 'links' | 'canonicalKey' | 'contentKey'> {
  links: (Omit<NonNullable<TaskReport['links']>, 'keys'> & { keys: string[] }) | null
  canonicalKey: string | null
  contentKey: string | null
}

/** Reports of fetched pages. The processor parses pages with `report.unread` and commits all reports. All raw pages of a
 *  message are in the same segment. */
export interface ProcessMessage {
  owner: string
  entries: Array<{ task: TimedTask; report: PackedReport }>
  /** How many processes died while they worked on this message. */
  lost?: number
}

/** A job whose source must be read. */
export interface IngestMessage {
  jobId: string
}

/** What the coordinator must know about an ended request, for example to update the host table. */
export type AnswerFacts = Pick<
  TaskReport,
  'startedAt' | 'sentAt' | 'lastSentAt' | 'endedAt' | 'failure' | 'finalUrl' | 'rendering' | 'identity'
>

/** An ended request whose page is not parsed yet. */
export interface AnsweredTask extends AnswerFacts {
  jobId: string
  n: number
  attempt: number
}

/** The outcome of a task, for the coordinator that started the task. */
export interface SettledTask extends AnswerFacts {
  jobId: string
  n: number
  attempt: number
  url: string
  bytes: number
  state: TaskState
  reason: Reason
  message: string | null
  notBefore: number
  isDuplicate: boolean
  /** True if the request was reported earlier in an `AnsweredTask`, and the page is parsed now. */
  wasRead?: true
  /** True if the lease had expired, so nothing was committed. */
  isLost: boolean
  /** True in the copy for the coordinator that decides when the job ends, if another coordinator started the task. */
  isElsewhere?: true
}

export interface AddedWork {
  jobId: string
  host: string
  count: number
}

export interface SettledGroup {
  tasks: SettledTask[]
  added: AddedWork[]
}

/** Progress of reading a job's source. */
export interface SourceUpdate {
  jobId: string
  added: AddedWork[]
  isDone: boolean
  failure: FailureJson | null
}
