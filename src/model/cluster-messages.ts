// What crosses between the processes of a cluster: fetched pages on their way to be read, and how tasks ended.
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

/** A report without what JSON can't hold: 64-bit keys are text. */
export interface PackedReport extends Omit<TaskReport, 'links' | 'canonicalKey' | 'contentKey'> {
  links: (Omit<NonNullable<TaskReport['links']>, 'keys'> & { keys: string[] }) | null
  canonicalKey: string | null
  contentKey: string | null
}

/** Pages of one segment (or of none): to be read where `report.unread`, and written down in any case. */
export interface ProcessMessage {
  owner: string
  entries: Array<{ task: TimedTask; report: PackedReport }>
  /** How often a process died with it before it was sent anew. */
  lost?: number
}

/** A job whose source is to be read. */
export interface IngestMessage {
  jobId: string
}

/** What the coordinator needs to know of a request that ended. */
export type AnswerFacts = Pick<
  TaskReport,
  'startedAt' | 'sentAt' | 'lastSentAt' | 'endedAt' | 'failure' | 'finalUrl' | 'rendering' | 'identity'
>

/** A request that ended; what is in its page is still to be found out. */
export interface AnsweredTask extends AnswerFacts {
  jobId: string
  n: number
  attempt: number
}

/** How a task was settled, as it is told to whoever handed it out. */
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
  /** The page was read after its request had been told of. */
  wasRead?: true
  /** It was somebody else's by then: nothing was written. */
  isLost: boolean
  /** Another coordinator handed it out; told to the one that ends the job. */
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

/** How far the source of a job was read, and what came of it. */
export interface SourceUpdate {
  jobId: string
  added: AddedWork[]
  isDone: boolean
  failure: FailureJson | null
}
