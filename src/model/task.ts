// A task: one unit of a job, a URL or an input row for a scraper, and how it may move.
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

/**
 * The legal moves. A retry and a lost lease go back to `pending`; terminal states are left only by `jobs retry`, and by
 * `reextract` when new rules can read a page that the old ones could not.
 */
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

/** Why a task is where it is: `ok` or another way to succeed (an earlier answer still holds), or the failure that says so. */
export type Reason = 'ok' | 'cached' | 'not-modified' | FailureCode

/** What kind of thing is fetched. Only pages count against `max_pages`. */
export type TaskKind = 'page' | 'sitemap'

/** The 64-bit identity of a task within its job (hash of the canonical URL or of the input). */
export type Key = bigint

export interface NewTask {
  key: Key
  kind: TaskKind
  url: string
  /** What politeness is counted by: `URL.host`. */
  host: string
  depth: number
  /** Lower runs first; breadth first when it is the depth. */
  priority: number
  /** The task whose page linked here; null for what the caller named. */
  parent: number | null
  /** The input row of a scraper, as JSON. */
  input: string | null
  /** The caller's own name for the row. */
  itemId: string | null
  /** How this one is done where that differs from its job: a `TaskPolicy` as JSON. */
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
  /** Epoch ms before which it may not run; 0 when it may. */
  notBefore: number
  duplicateOf: number | null
  /** By which way it goes when it is handed out next; `http` until a page turned out to need the browser. */
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
  /** How it is done, where that differs from its job: by its own policy, or by that of its domain. */
  overrides?: TaskOverrides
  way: TaskWay
  wayWhy: string | null
  /** A connection failure is an outage to wait out: it uses up none of the task's attempts. */
  waitsOutOutage?: boolean
  /** Where this attempt is traced: the context that goes along with it. */
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
  /** Files that came of it. */
  artifacts: KeptArtifact[]
  /** From the end of the answer until it was read; null where nothing was read, or nobody measured. */
  readMs: number | null
  /** From there (or from the end) until it was written down. */
  storeMs: number | null
}

/** A task lost with its worker this often is given up: it may be what kills them. */
export const poisonAfter = 5
