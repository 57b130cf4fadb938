// A task: one unit of a job, a URL or an input row, and its states.
import type { FailureCode } from './failures.ts'
import type { BlobRef } from './page/page.ts'
import type { TaskOverrides } from './policy/policy.ts'
import type { KeptArtifact } from './policy/rendering.ts'
import type { TaskWay } from './policy/way.ts'
import type { TaskTrace } from './trace.ts'

export const taskStates = [
  'pending',
  'queued',
  'in_progress',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const
export type TaskState = (typeof taskStates)[number]
export type TerminalState = 'succeeded' | 'failed' | 'skipped' | 'cancelled'

/** The allowed transitions. A retry and a lost lease go back to `pending`; terminal states change only by `jobs retry`, and
 *  by `reextract` if new rules can parse a page. */
export const taskMoves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  pending: ['queued', 'in_progress', 'skipped', 'cancelled'],
  queued: ['in_progress', 'pending', 'cancelled'],
  in_progress: ['succeeded', 'failed', 'skipped', 'cancelled', 'pending'],
  succeeded: [],
  failed: ['pending', 'succeeded', 'skipped'],
  skipped: ['succeeded'],
  cancelled: ['pending'],
}

export const isTerminal = (state: TaskState): state is TerminalState =>
  state === 'succeeded' || state === 'failed' || state === 'skipped' || state === 'cancelled'

/** Why a task has its state: `ok` or another success (a cached response), or the failure. */
export type Reason = 'ok' | 'cached' | 'not-modified' | FailureCode

/** What is fetched. Only pages count for `max_pages`. */
export type TaskKind = 'page' | 'sitemap'

/** The 64-bit identity of a task within its job (hash of the canonical URL or of the input). */
export type Key = bigint

export interface NewTask {
  key: Key
  kind: TaskKind
  url: string
  /** The unit of politeness: `URL.host`. */
  host: string
  depth: number
  /** Lower runs first; breadth first when it is the depth. */
  priority: number
  /** The task whose page linked here; null if the caller named it. */
  parent: number | null
  /** The input row of a scraper, as JSON. */
  input: string | null
  /** The caller's name of the row. */
  itemId: string | null
  /** The task's own policy: a `TaskPolicy` as JSON. */
  policy?: string | null
}

export interface Task extends Omit<NewTask, 'key'> {
  jobId: string
  /** Position in the job, from 1: `${jobId}.${n}` is the task's id. */
  n: number
  state: TaskState
  /** How often it was handed out; with `owner` the fencing token. */
  attempt: number
  /** Attempts that counted against the retry limit. */
  charged: number
  reason: Reason | null
  message: string | null
  /** Earliest start in epoch ms; 0 for none. */
  notBefore: number
  duplicateOf: number | null
  /** The next fetch mode; `http` until a page needs the browser. */
  way: TaskWay
  /** Why it is not the plain one; null when it is. */
  wayWhy: string | null
}

/** A task handed out: valid until its lease ends, and only for this attempt. */
export interface LeasedTask {
  jobId: string
  n: number
  attempt: number
  charged: number
  kind: TaskKind
  url: string
  host: string
  depth: number
  priority: number
  input: string | null
  itemId: string | null
  policy?: string | null
  /** Overrides of the job's policy, by the task or its domain. */
  overrides?: TaskOverrides
  way: TaskWay
  wayWhy: string | null
  /** A connection failure is an outage to wait for: it uses none of the task's attempts. */
  waitsOutOutage?: boolean
  /** The trace context of this attempt, if traced. */
  trace?: TaskTrace
}

export interface Attempt {
  attempt: number
  startedAt: number
  endedAt: number
  outcome: Reason
  message: string | null
  status: number | null
  worker: string
  proxy: string | null
  bytes: number
  raw: BlobRef | null
  way: TaskWay
  /** Files of the attempt. */
  artifacts: KeptArtifact[]
  /** From the end of the response until it was parsed; null if unknown or not parsed. */
  readMs: number | null
  /** From there (or from the end) until it was committed. */
  storeMs: number | null
}

/** A task lost with its worker this often fails, because it may kill workers. */
export const poisonAfter = 5
