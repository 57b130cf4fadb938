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

/** Pages of one segment (or of none): to be parsed if `report.unread`, and always committed. */
export interface ProcessMessage {
  owner: string
  entries: Array<{ task: TimedTask; report: PackedReport }>
  /** How often a process died with it before it was sent again. */
  lost?: number
}

/** A job whose source must be read. */
export interface IngestMessage {
  jobId: string
}

/** The facts that the coordinator needs about an ended request. */
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

/** The outcome of a task, for the coordinator that released it. */
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
  /** The page was parsed after its request was reported. */
  wasRead?: true
  /** The lease had expired, so nothing was committed. */
  isLost: boolean
  /** Another coordinator released it; sent to the coordinator that ends the job. */
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
