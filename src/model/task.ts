// A task: one URL or input row of a job, and its states.
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
/** The states of a task that an attempt works on. */
export const leasedStates = ['queued', 'in_progress'] as const satisfies TaskState[]
export type TerminalState = 'succeeded' | 'failed' | 'skipped' | 'cancelled'

/** The allowed transitions. A retried task and a task with a lost lease return to `pending`. Terminal states change
 *  only by `jobs retry`, and by `reextract` if new rules can parse a page. */
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

/** Why a task has its state. `ok`, `cached` and `not-modified` are successes; a failure code is a failure. */
export type Reason = 'ok' | 'cached' | 'not-modified' | FailureCode

/** What the task fetches. Only pages count for `max_pages`. */
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
  /** Tasks with a lower number run first. A breadth-first crawl uses the depth. */
  priority: number
  /** The task whose page links to this URL; null if the caller gave the URL. */
  parent: number | null
  /** The input row of a scraper, as JSON. */
  input: string | null
  /** The item id that the caller gave; null if there is none. */
  itemId: string | null
  /** The task's own policy: a `TaskPolicy` as JSON. */
  policy?: string | null
}

export interface Task extends Omit<NewTask, 'key'> {
  jobId: string
  /** Position in the job, from 1: `${jobId}.${n}` is the task's id. */
  n: number
  state: TaskState
  /** How often the task was leased. Older attempts are recognized by the attempt number and `owner`, and cannot write. */
  attempt: number
  /** Number of attempts that counted against the retry limit. */
  charged: number
  reason: Reason | null
  message: string | null
  /** Earliest start of the next attempt in epoch ms; 0 means at once. */
  notBefore: number
  duplicateOf: number | null
  /** The fetch mode of the next attempt; `http` until the page needs a browser. */
  way: TaskWay
  /** Why the task uses a browser; null if the fetch mode is `http`. */
  wayWhy: string | null
}

/** A leased task. The lease is valid until it expires, and only for this attempt. */
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
  /** Policy values of the task or its domain that differ from the job's. */
  overrides?: TaskOverrides
  way: TaskWay
  wayWhy: string | null
  /** If true, a connection failure counts as an outage of the host. It is retried without using one of the task's attempts. */
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
  /** Time from the end of the response until the page was parsed. Null if unknown or not parsed. */
  readMs: number | null
  /** Time from the end of parsing (or of the response, if nothing was parsed) until the commit. Null if unknown. */
  storeMs: number | null
}

/** A task fails after this many workers died with it, because the task itself may have killed them. */
export const poisonAfter = 5
