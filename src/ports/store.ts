// Store: the truth. What is in it has been accepted; what is not has not.

import type { ConductNote, HostPace } from '../model/conduct.ts'
import type { HostState, RobotsEntry } from '../model/host.ts'
import type {
  Face,
  IngestProgress,
  Job,
  JobCounts,
  JobKind,
  JobOrigin,
  JobSpec,
  JobState,
} from '../model/job.ts'
import type { KnownAnswer, NewAnswer } from '../model/page/answer.ts'
import type { TaskWay } from '../model/policy/way.ts'
import type { NewRecord, StoredRecord } from '../model/record.ts'
import type { NextTick } from '../model/schedule.ts'
import type { Shard } from '../model/shard.ts'
import type {
  Attempt,
  Key,
  LeasedTask,
  NewTask,
  Reason,
  Task,
  TaskState,
  TerminalState,
} from '../model/task.ts'
import type { NewWebhook } from '../model/webhook.ts'
import type { ErasureStore } from './erasure.ts'
import type { KeepingStore } from './keeping.ts'
import type {
  ConductStore,
  KeyStore,
  OutboxStore,
  ScheduleStore,
  SearchStore,
  SinkStore,
  UploadStore,
} from './service-stores.ts'

export interface Store extends AsyncDisposable {
  readonly jobs: JobStore
  readonly tasks: TaskStore
  readonly records: RecordStore
  readonly hosts: HostStore
  readonly outputs: OutputStore
  readonly requests: RequestStore
  readonly answers: AnswerStore
  readonly keys: KeyStore
  readonly outbox: OutboxStore
  readonly schedules: ScheduleStore
  readonly uploads: UploadStore
  readonly search: SearchStore
  readonly conduct: ConductStore
  readonly sinks: SinkStore
  readonly keeping: KeepingStore
  readonly erasure: ErasureStore
  /**
   * The group commit: task moves, attempts, records, discovered tasks, counters and host states in one transaction,
   * durable when it resolves. Each settlement is fenced: if the task is no longer held by `owner` in that `attempt`,
   * nothing of it is written (no record, no attempt) and it comes back in `lost`.
   */
  commit(group: CommitGroup): Promise<CommitResult>
  /** Rejects when nothing could be committed now; changes nothing. */
  checkWritable(): Promise<void>
}

export interface CommitGroup {
  owner: string
  settlements: Settlement[]
  discovered: Discovery[]
  hosts: HostState[]
}

/** How one attempt at a task ended. `pending` is a retry: it waits until `notBefore`. */
export interface Settlement {
  jobId: string
  n: number
  attempt: number
  state: TerminalState | 'pending'
  reason: Reason
  message: string | null
  notBefore: number
  /** Whether this attempt counts against the retry limit. */
  charged: boolean
  /** The page went through the slower, exact parser: counted with the job. */
  exactlyParsed?: boolean
  /** Records and sitemaps with each warning, by code: counted with the job. */
  warnings?: Record<string, number>
  /** By which way the task goes from now on, and why; as before where nothing is said. */
  next?: { way: TaskWay; why: string }
  /** Added to the task's priority: a task that its host turns away waits behind the others. */
  demotedBy?: number
  history: Attempt
  records: NewRecord[]
  /**
   * Identities that only one task of the job may hold (kind `page`, state `succeeded`). If another task holds one already, this
   * settlement becomes `skipped` with `duplicate.canonical` / `duplicate.content`, keeps no record, and names the holder.
   */
  identity: { canonical: Key | null; content: Key | null }
  /** Remembered when the task succeeds; only for jobs that ask for it. */
  answer?: NewAnswer | undefined
}

/**
 * Tasks found while doing another; those whose key the job has already seen are dropped. Where the group settles that other one, and that
 * is lost, nothing of it is entered or counted.
 */
export interface Discovery {
  jobId: string
  /** The task it was found with, and in which attempt. */
  n: number
  attempt: number
  tasks: NewTask[]
  /** Links refused before a task was made, to be counted. */
  refused: Partial<Record<Reason, number>>
}

export interface CommitResult {
  /** Settlements whose lease was gone. */
  lost: Array<{ jobId: string; n: number }>
  /** Settlements that turned out to be duplicates, with what they are duplicates of. */
  duplicates: Array<{ jobId: string; n: number; of: number; reason: Reason }>
  /** New tasks per job and host, so that the dispatcher knows of new work without asking. */
  added: Array<{ jobId: string; host: string; count: number }>
}

export interface NewJob {
  id: string
  kind: JobKind
  spec: JobSpec
  ingest: IngestProgress
  createdAt: number
  /** What is not said: the default workspace, from the command line. */
  origin?: Partial<JobOrigin>
  /** What the caller names the request by, and the hash of what it asks for. */
  idempotency?: { key: string; fingerprint: string }
  /** The tick of a schedule that this job is the run of, and when the schedule is due next; without `next` that stays. */
  tick?: { tick: number; catchUp: boolean; next?: NextTick }
  notes?: ConductNote[]
}

/** Jobs that fit all that is said. */
export interface JobFilter {
  workspace?: string
  states?: JobState[]
  face?: Face
  keyId?: string
  scheduleId?: string
  labels?: Record<string, string>
  /** Epoch ms: from this on, and before that. */
  createdFrom?: number
  createdBefore?: number
  /** In the id, the labels, or the first address that was named; upper and lower case are one. */
  text?: string
}

export interface JobStore {
  /**
   * Job and first tasks, its idempotency key, the tick it answers and its conduct notes in one transaction. Throws `job.exists`
   * when the id is taken, `request.repeated` (with `jobId` and `fingerprint`) when the workspace used the idempotency key before,
   * `schedule.ticked` when the tick had its run.
   */
  create(job: NewJob, tasks: NewTask[]): Promise<AddResult>
  get(jobId: string): Promise<Job | null>
  /** The job that an idempotency key of a workspace stands for, and the fingerprint it came with. */
  askedBefore(workspace: string, key: string): Promise<{ jobId: string; fingerprint: string } | null>
  /** Newest first; `cursor` is the last id of the page before. */
  list(options?: JobFilter & { limit?: number; cursor?: string }): Promise<Job[]>
  /** What has not ended: jobs, and tasks in them. */
  load(filter?: Pick<JobFilter, 'workspace' | 'keyId' | 'face'>): Promise<{ jobs: number; tasks: number }>
  /** Tasks of all jobs that have not ended, by state. */
  tally(): Promise<Record<TaskState, number>>
  /** Compare-and-set: moves only from one of `from`, and says whether it did. Sets startedAt/finishedAt as the state asks. */
  move(jobId: string, from: readonly JobState[], to: JobState, change?: JobChange): Promise<boolean>
  counts(jobId: string): Promise<JobCounts>
  /** What has not ended, in brief, oldest first: for whoever follows what others do to jobs. */
  unended(): Promise<JobBrief[]>
  /**
   * Sets aside pages of the job's budget for one of several that share it, in the place of what that one had: what it has `held` and up
   * to `ahead` more, as long as all of them (0 up to `among`) and the pages that succeeded are no more than `most`. What it holds
   * was set aside before, and stays. Says how many it has now.
   */
  setAside(jobId: string, share: BudgetShare): Promise<number>
  /** Puts another spec in the place of the job's own: what is done with it from now on goes by this one. */
  revise(jobId: string, spec: JobSpec): Promise<void>
  /** Adds to the tokens that the job has spent on a language model; takes off what was set aside and then not used. */
  spend(jobId: string, llmTokens: number): Promise<void>
  /** The same, only if the job has not spent more than `limit` then; says whether it was done. One of many who ask at once gets the last. */
  spendWithin(jobId: string, llmTokens: number, limit: number): Promise<boolean>
  /** Tasks, records, attempts, outputs and the job; blobs are the caller's. */
  delete(jobId: string): Promise<void>
}

export interface BudgetShare {
  of: number
  among: number
  held: number
  ahead: number
  most: number
}

export type JobBrief = Pick<Job, 'id' | 'state' | 'reason'>

/** Reason and resume time belong to the state that is entered: what is not given is cleared. */
export interface JobChange {
  reason?: string | null
  resumeAt?: number | null
  at?: number
  /** Entered into the outbox if, and only if, the move happens. One that is there already stays as it is. */
  webhooks?: NewWebhook[]
}

export interface AddResult {
  added: number
  duplicates: number
  /** How many of the added went to which host. */
  hosts: Map<string, number>
}

export interface TaskStore {
  /**
   * Adds what the job has not seen, with how far its source was read, in one durable transaction. `progress.duplicates`
   * counts those of earlier batches; the store adds this batch's.
   */
  add(jobId: string, tasks: NewTask[], progress?: IngestProgress): Promise<AddResult>
  /** Rows that could not become tasks, with the place and the reason; kept with the job. */
  reject(jobId: string, rows: RejectedRow[]): Promise<void>
  rejected(jobId: string, options?: { after?: number; limit?: number }): Promise<RejectedRow[]>
  /** Hosts (of a shard) that have tasks which may run now (`notBefore` 0), with how many, in no order. */
  pendingHosts(jobId: string, shard?: Shard): Promise<Array<{ host: string; count: number }>>
  /**
   * Takes up to `limit` runnable tasks per want, by priority and then number, and leases them to `owner`. One transaction; no task
   * is ever handed to two. Each claim raises `attempt`.
   */
  claim(
    wants: Want[],
    lease: { owner: string; untilMs: number; state: 'queued' | 'in_progress' },
  ): Promise<LeasedTask[]>
  /** Gives tasks back untouched (pause, stop): pending again, not charged. Fenced. */
  release(owner: string, tasks: Array<{ jobId: string; n: number; attempt: number }>): Promise<void>
  /** Keeps `owner`'s leases alive. */
  extend(owner: string, untilMs: number): Promise<void>
  /**
   * Puts back what was held too long, or by anyone but `onlyOwner` (the sole process of a data directory after a restart).
   * A task that was lost like this `poisonAfter` times is failed with `task.poison`. Returns what came back, per job and host.
   */
  reclaim(options: {
    now: number
    exceptOwner?: string
    poisonAfter: number
  }): Promise<Array<{ jobId: string; host: string; count: number }>>
  /** Retries (of a shard's hosts) whose wait is over become runnable (`notBefore` 0). Returns them per job and host. */
  wake(now: number, shard?: Shard): Promise<Array<{ jobId: string; host: string; count: number }>>
  /** When the next retry of any (or one) job is due; null if none waits. */
  nextWake(jobId?: string): Promise<number | null>
  /**
   * Ends every pending task of a job, or of one of its hosts, at once. Returns how many. `retryAt` says when another try
   * may succeed; it is kept as the `notBefore` of the ended tasks.
   */
  endPending(
    jobId: string,
    state: 'skipped' | 'cancelled' | 'failed',
    reason: Reason,
    only?: { host?: string; message?: string; retryAt?: number },
  ): Promise<number>
  /** Failed (and cancelled) tasks go back to pending with a clean slate. Returns them per host. */
  reopen(
    jobId: string,
    states: Array<'failed' | 'cancelled'>,
  ): Promise<Array<{ host: string; count: number }>>
  get(jobId: string, n: number): Promise<Task | null>
  /** The task that stands for a URL or input key, also under the name it was redirected from. */
  find(jobId: string, key: Key): Promise<Task | null>
  /**
   * Enters `key` into the job's seen-set as another name of task `n`. Returns the number of the task that already has it,
   * or null when it is now `n`'s. Durable with the next commit at the latest.
   */
  alias(jobId: string, key: Key, n: number): Promise<number | null>
  attempts(jobId: string, n: number): Promise<Attempt[]>
  /** The same for many tasks at once; one that was never tried is not in the answer. */
  attemptsOf(jobId: string, numbers: readonly number[]): Promise<Map<number, Attempt[]>>
  /** The objects that hold raw pages of the job, each once: what no attempt speaks of is not among them. */
  rawKeys(jobId: string): Promise<string[]>
  /** When the attempts at these tasks ended, and how; in no order. */
  outcomes(jobId: string, numbers: readonly number[]): Promise<Outcome[]>
  list(jobId: string, options?: { states?: TaskState[]; after?: number; limit?: number }): Promise<Task[]>
  /** Tasks that failed, in the order in which they did: whoever pages through a running job sees each once. */
  failed(jobId: string, options: { after: number; limit: number }): Promise<FailedTask[]>
}

export type Outcome = Pick<Attempt, 'endedAt' | 'outcome'>

export interface FailedTask extends Task {
  /** What paging goes by. */
  seq: number
}

export interface Want {
  jobId: string
  host: string
  limit: number
}

export interface RejectedRow {
  /** Line (or element) number in the source, from 1. */
  row: number
  /** The text as it stood there, cut to 200 characters. */
  text: string
  reason: string
}

export interface RecordReader {
  /** In order of commit. `after` is the last `seq` seen. */
  list(jobId: string, options: { after: number; limit: number }): Promise<StoredRecord[]>
  ofTask(jobId: string, n: number): Promise<StoredRecord[]>
}

export interface RecordStore extends RecordReader {
  /**
   * Puts new records in the place of the old ones, for tasks that succeeded or are rescued, with how far that work is, in one
   * durable transaction: states and counters fit, output files are to be written anew, and remembered answers of these tasks
   * are forgotten. Null says that all of it is done.
   */
  replace(jobId: string, replacements: Replacement[], progress: Reextraction | null): Promise<void>
  /** The work of replacing records that was begun and not finished. */
  reextraction(jobId: string): Promise<Reextraction | null>
}

/** The records of one task, made anew from the page that was kept. */
export interface Replacement {
  n: number
  records: NewRecord[]
  /**
   * Of a task that failed or was skipped, and succeeds now: its identities, as in a settlement. If another task holds one
   * already, it becomes (or stays) skipped as its duplicate.
   */
  rescued?: Settlement['identity']
}

/** How far the records of a job were made anew. */
export interface Reextraction {
  /** Tells what makes the records apart from any other: only the same one goes on with the work. */
  maker: string
  /** Tasks up to this number are done. */
  after: number
  /** Pages read (of those, rescued: of tasks that had failed), and tasks whose records stayed as they were. */
  done: { pages: number; records: number; rescued: number; failed: number; notKept: number }
}

/** Answers that may be used again, across jobs. Each stands on the records of a task, and is gone when they are. */
export interface AnswerStore {
  /** What is known of these requests, by key. */
  find(keys: string[]): Promise<Map<string, KnownAnswer>>
  /** Forgets what no host confirmed since `before`. Returns how many. */
  forget(before: number): Promise<number>
}

export interface HostStore {
  get(host: string): Promise<HostState | null>
  /** Those of them that are known, in no order. */
  many(hosts: readonly string[]): Promise<HostState[]>
  list(options?: { after?: string; limit?: number }): Promise<HostState[]>
  /** Hosts of one job with their tasks by state, busiest first. */
  ofJob(
    jobId: string,
    limit: number,
  ): Promise<Array<{ host: string; byState: Partial<Record<TaskState, number>> }>>
  /** How one job asked its hosts, those asked most first. */
  paces(jobId: string, limit: number): Promise<HostPace[]>
  robots(origin: string): Promise<RobotsEntry | null>
  keepRobots(entry: RobotsEntry): Promise<void>
}

/** How far a job's output files are written, so that a killed run completes them without doubling a record. */
export interface OutputProgress {
  path: string
  format: string
  /** Last record that is in the file. */
  seq: number
  /** Size of the file with that record; what lies beyond is cut off on resume. */
  bytes: number
  done: boolean
}

export interface OutputStore {
  list(jobId: string): Promise<OutputProgress[]>
  save(jobId: string, progress: OutputProgress): Promise<void>
}

export type RequestKind = 'pause' | 'resume' | 'cancel' | 'retry'

/** What other processes ask of the one that owns the work. */
export interface RequestStore {
  leave(request: { jobId: string; kind: RequestKind; at: number }): Promise<void>
  /** Hands over what was left, each once, oldest first. */
  take(): Promise<Array<{ jobId: string; kind: RequestKind; at: number }>>
}
