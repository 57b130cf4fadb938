// Store: the source of truth. The API accepts a job only after the store has committed it.

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
import type { ActivityStore } from './activity.ts'
import type { ErasureStore } from './erasure.ts'
import type { RetentionStore } from './retention.ts'
import type {
  ConductStore,
  ItemChangeStore,
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
  readonly activity: ActivityStore
  readonly sinks: SinkStore
  readonly itemChanges: ItemChangeStore
  readonly retention: RetentionStore
  readonly erasure: ErasureStore
  /**
   * The group commit. It stores task moves, attempts, records, discovered tasks, counters and host states in one
   * transaction, which is durable when the promise resolves. Each settlement is fenced: if `owner` no longer leases the
   * task in that `attempt`, the store writes nothing of the settlement (no record, no attempt) and returns it in
   * `lost`.
   */
  commit(group: CommitGroup): Promise<CommitResult>
  /** Rejects if a commit would fail now. Changes nothing. */
  checkWritable(): Promise<void>
}

export interface CommitGroup {
  owner: string
  settlements: Settlement[]
  discovered: Discovery[]
  hosts: HostState[]
}

/** How one attempt of a task ended. The state `pending` is a retry: the task waits until `notBefore`. */
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
  /** The page needed the slower, exact parser. The job counts such pages. */
  exactlyParsed?: boolean
  /** Number of records and sitemaps per warning code. The store adds these numbers to the counts of the job. */
  warnings?: Record<string, number>
  /** The fetch mode of further attempts, and why. If unset, the fetch mode does not change. */
  next?: { way: TaskWay; why: string }
  /** Added to the task's priority, so that a throttled task waits behind the other tasks of its host. */
  demotedBy?: number
  history: Attempt
  records: NewRecord[]
  /**
   * Keys that only one succeeded page task of the job may have. If another task already has one of them, this settlement becomes
   * `skipped` with `duplicate.canonical` or `duplicate.content`, stores no record, and refers to that task.
   */
  identity: { canonical: Key | null; content: Key | null }
  /** The response to cache if the task succeeds. Only for jobs that reuse cached responses. */
  answer?: NewAnswer | undefined
}

/**
 * Tasks that an attempt found. The store drops tasks whose key the job has seen. If the settlement of that attempt is in the same
 * group and is lost, the store drops the whole discovery.
 */
export interface Discovery {
  jobId: string
  /** The task and attempt that found the new tasks. */
  n: number
  attempt: number
  tasks: NewTask[]
  /** Number of links that were refused, by reason. */
  refused: Partial<Record<Reason, number>>
}

export interface CommitResult {
  /** Settlements that were not written, because their lease had ended. */
  lost: Array<{ jobId: string; n: number }>
  /** Settlements that became duplicates, and the task that each one duplicates. */
  duplicates: Array<{ jobId: string; n: number; of: number; reason: Reason }>
  /** New tasks per job and host, so that the dispatcher needs no query to find them. */
  added: Array<{ jobId: string; host: string; count: number }>
}

export interface NewJob {
  id: string
  kind: JobKind
  spec: JobSpec
  ingest: IngestProgress
  createdAt: number
  /** Unset fields mean: the default workspace, created on the command line. */
  origin?: Partial<JobOrigin>
  /** The caller's idempotency key, and the hash of the request body. */
  idempotency?: { key: string; fingerprint: string }
  /** The schedule's tick that this job runs, and the next due time. Without `next` the due time is unchanged. */
  tick?: { tick: number; catchUp: boolean; next?: NextTick }
  notes?: ConductNote[]
}

/** Matches jobs that meet every given condition. */
export interface JobFilter {
  workspace?: string
  states?: JobState[]
  face?: Face
  keyId?: string
  scheduleId?: string
  labels?: Record<string, string>
  /** Epoch ms. `createdFrom` is inclusive, `createdBefore` exclusive. */
  createdFrom?: number
  createdBefore?: number
  /** Text that the id, the labels or the first URL must contain, in any letter case. */
  text?: string
}

export interface JobStore {
  /**
   * Stores the job, its first tasks, idempotency key, tick and conduct notes in one transaction. Throws `job.exists`
   * if the id is taken, `request.repeated` (with `jobId` and `fingerprint`) if the workspace has used the idempotency key,
   * `schedule.ticked` if the tick already has a run.
   */
  create(job: NewJob, tasks: NewTask[]): Promise<AddResult>
  get(jobId: string): Promise<Job | null>
  /** The state and the trace of a job. Cheaper than `get`, which also reads the spec: a spec may list thousands of URLs. */
  brief(jobId: string): Promise<(JobBrief & Pick<Job, 'traceparent'>) | null>
  /** The job that was created with this idempotency key, and the fingerprint of that request. */
  askedBefore(workspace: string, key: string): Promise<{ jobId: string; fingerprint: string } | null>
  /** Newest first. `cursor` is the last id of the previous page. */
  list(options?: JobFilter & { limit?: number; cursor?: string }): Promise<Job[]>
  /** The number of jobs that have not ended, the number of their open tasks, and all their tasks by state. */
  load(
    filter?: Pick<JobFilter, 'workspace' | 'keyId' | 'face'>,
  ): Promise<{ jobs: number; tasks: number; byState: Record<TaskState, number> }>
  /** Compare-and-set: moves the job only if its state is in `from`, and returns whether it was moved. Also sets
   *  startedAt or finishedAt. */
  move(jobId: string, from: readonly JobState[], to: JobState, change?: JobChange): Promise<boolean>
  counts(jobId: string): Promise<JobCounts>
  /** Jobs that have not ended, oldest first. Processes poll it to notice changes made by others. */
  unended(): Promise<JobBrief[]>
  /**
   * Reserves pages of the job's page limit for one shard, and replaces the shard's previous reservation. The new reservation is the
   * shard's pages in flight plus up to `ahead` more. All reservations and succeeded pages together stay within `most`, except that
   * pages in flight always keep their reservation. Returns the new reservation in pages.
   */
  setAside(jobId: string, share: BudgetShare): Promise<number>
  /** Replaces the job's spec for all further work. */
  revise(jobId: string, spec: JobSpec): Promise<void>
  /**
   * Adds to the job's spent model tokens, only if the total stays within `limit`. Returns whether the tokens were
   * added. Negative values return an unused reservation. Atomic: concurrent callers cannot exceed the limit together.
   */
  spend(jobId: string, llmTokens: number, limit?: number): Promise<boolean>
  /** Deletes the job with its tasks, records, attempts and outputs. The caller deletes the blobs. */
  delete(jobId: string): Promise<void>
}

export interface BudgetShare {
  /** Index of the shard, from 0. */
  of: number
  /** Number of shards. */
  among: number
  /** Pages that the shard has in flight. */
  held: number
  /** How many further pages the shard may start. */
  ahead: number
  /** The page limit of the job. */
  most: number
}

export type JobBrief = Pick<Job, 'id' | 'state' | 'reason'>

/** The reason and resume time of the new state. Unset fields are cleared. */
interface JobChange {
  reason?: string | null
  resumeAt?: number | null
  at?: number
  /** Added to the outbox in the same transaction, only if the job moves. A webhook whose id exists is not changed. */
  webhooks?: NewWebhook[]
}

export interface AddResult {
  added: number
  duplicates: number
  /** Number of added tasks per host. */
  hosts: Map<string, number>
}

export interface TaskStore {
  /**
   * Adds tasks whose key the job has not seen, saves how far the source was read, and stores rows that could not become tasks, in
   * one durable transaction. `progress.duplicates` counts earlier batches; the store adds the duplicates of this batch.
   */
  add(
    jobId: string,
    tasks: NewTask[],
    progress?: IngestProgress,
    rejected?: readonly RejectedRow[],
  ): Promise<AddResult>
  rejected(jobId: string, options?: { after?: number; limit?: number }): Promise<RejectedRow[]>
  /** Hosts (of a shard) with runnable tasks (`notBefore` 0), and their number. Unordered. */
  pendingHosts(jobId: string, shard?: Shard): Promise<Array<{ host: string; count: number }>>
  /**
   * For each claim, leases up to `limit` runnable tasks to `owner`, by priority and then number. One transaction; two owners never
   * get the same task. Each claim increments `attempt`.
   */
  claim(
    claims: ClaimRequest[],
    lease: { owner: string; untilMs: number; state: 'queued' | 'in_progress' },
  ): Promise<LeasedTask[]>
  /** Returns tasks of `owner` to `pending` (pause, stop) without charging the attempt. Ignores tasks with a newer
   *  attempt. */
  release(owner: string, tasks: Array<{ jobId: string; n: number; attempt: number }>): Promise<void>
  /** Extends the leases of `owner`. */
  extend(owner: string, untilMs: number): Promise<void>
  /**
   * Requeues tasks whose lease has expired. With `exceptOwner`, requeues all tasks of other owners. The only process of
   * a data directory does this at its start, because all other owners are dead. A task that was lost `poisonAfter`
   * times fails with `task.poison`. Returns the requeued tasks per job and host.
   */
  reclaim(options: {
    now: number
    exceptOwner?: string
    poisonAfter: number
  }): Promise<Array<{ jobId: string; host: string; count: number }>>
  /** Makes due retries runnable (sets `notBefore` to 0). With `shard`, only retries at hosts of this shard. Returns
   *  their number per job and host. */
  wake(now: number, shard?: Shard): Promise<Array<{ jobId: string; host: string; count: number }>>
  /** When the next retry is due (epoch ms), of one job or of all jobs. Null if no retry waits. */
  nextWake(jobId?: string): Promise<number | null>
  /**
   * Ends all pending tasks of a job, or of one of its hosts. Returns how many. `retryAt` is when another attempt
   * may succeed; it is stored as the `notBefore` of the ended tasks.
   */
  endPending(
    jobId: string,
    state: 'skipped' | 'cancelled' | 'failed',
    reason: Reason,
    only?: { host?: string; message?: string; retryAt?: number },
  ): Promise<number>
  /** Moves failed (and cancelled) tasks back to pending and resets their attempts. Returns their number per host. */
  reopen(
    jobId: string,
    states: Array<'failed' | 'cancelled'>,
  ): Promise<Array<{ host: string; count: number }>>
  get(jobId: string, n: number): Promise<Task | null>
  /** The task with this key. The key of a URL that redirected to the task's page finds it too. */
  find(jobId: string, key: Key): Promise<Task | null>
  /**
   * Adds `key` to the job's seen-set as another key of task `n`, and returns null. If another task already has the key, it changes
   * nothing and returns the number of that task. Durable with the next commit at the latest.
   */
  alias(jobId: string, key: Key, n: number): Promise<number | null>
  attempts(jobId: string, n: number): Promise<Attempt[]>
  /** The attempts of many tasks. Tasks without an attempt are missing from the result. */
  attemptsOf(jobId: string, numbers: readonly number[]): Promise<Map<number, Attempt[]>>
  /** Keys of the blobs that contain raw pages of the job and that an attempt refers to. Each key is returned once. */
  rawKeys(jobId: string): Promise<string[]>
  list(jobId: string, options?: { states?: TaskState[]; after?: number; limit?: number }): Promise<Task[]>
  /** Failed tasks in the order of failure, so that paging through a running job returns each failed task once. */
  failed(jobId: string, options: { after: number; limit: number }): Promise<FailedTask[]>
}

export interface FailedTask extends Task {
  /** The cursor for paging. */
  seq: number
}

export interface ClaimRequest {
  jobId: string
  host: string
  limit: number
}

export interface RejectedRow {
  /** Line (or element) number in the source, from 1. */
  row: number
  /** The source text, cut to 200 characters. */
  text: string
  reason: string
}

export interface RecordReader {
  /**
   * Records in commit order. `after` is the last `seq` of the previous page. A page ends early after 32 MB, so a short
   * page need not be the last page. `isLastList` (lib/listed-records.ts) says whether more records follow.
   */
  list(jobId: string, options: { after: number; limit: number }): Promise<StoredRecord[]>
  ofTask(jobId: string, n: number): Promise<StoredRecord[]>
}

export interface RecordStore extends RecordReader {
  /**
   * Replaces the records of tasks and saves the progress of the re-extraction, in one durable transaction. It updates states and
   * counters, marks output files for rewriting, and deletes the cached responses of these tasks. `progress` is null when the
   * re-extraction is complete.
   */
  replace(jobId: string, replacements: Replacement[], progress: Reextraction | null): Promise<void>
  /** The re-extraction that was started and not finished; null if there is none. */
  reextraction(jobId: string): Promise<Reextraction | null>
}

/** New records of one task, extracted from its stored page. */
export interface Replacement {
  n: number
  records: NewRecord[]
  /**
   * Set if the task had failed or was skipped and now succeeds with the new records. These are the keys of its page, as
   * in a settlement. If another task has one of the keys, this task becomes skipped as a duplicate, or stays skipped.
   */
  rescued?: Settlement['identity']
}

/** Progress of a re-extraction. */
export interface Reextraction {
  /** Identifies the rules or the scraper version. A re-extraction resumes only with the same maker. */
  maker: string
  /** All tasks up to this task number are done. */
  after: number
  /** `rescued` counts pages whose task had failed and now succeeds. `notKept` counts tasks without a stored page; their records stay. */
  done: { pages: number; records: number; rescued: number; failed: number; notKept: number }
}

/** Cached responses, shared across jobs. A cached response refers to the records of a task and is deleted with them. */
export interface AnswerStore {
  /** The cached responses of these request keys. Keys without a cached response are missing from the result. */
  find(keys: string[]): Promise<Map<string, KnownAnswer>>
}

export interface HostStore {
  get(host: string): Promise<HostState | null>
  /** The stored states of these hosts, unordered. Unknown hosts are missing. */
  many(hosts: readonly string[]): Promise<HostState[]>
  list(options?: { after?: string; limit?: number }): Promise<HostState[]>
  /** Hosts of one job with their tasks by state, busiest first. */
  ofJob(
    jobId: string,
    limit: number,
  ): Promise<Array<{ host: string; byState: Partial<Record<TaskState, number>> }>>
  /** Request rates of one job per host, busiest first. */
  paces(jobId: string, limit: number): Promise<HostPace[]>
  robots(origin: string): Promise<RobotsEntry | null>
  keepRobots(entry: RobotsEntry): Promise<void>
}

/** How far an output file is written. After a crash, the next process completes the file without duplicate records. */
export interface OutputProgress {
  path: string
  format: string
  /** `seq` of the last record in the file. */
  seq: number
  /** File size after that record, in bytes. To resume, the writer truncates the file to this size. */
  bytes: number
  done: boolean
}

export interface OutputStore {
  list(jobId: string): Promise<OutputProgress[]>
  save(jobId: string, progress: OutputProgress): Promise<void>
}

export type RequestKind = 'pause' | 'resume' | 'cancel' | 'retry'

/** Control requests from other processes to the process that runs the job. */
export interface RequestStore {
  leave(request: { jobId: string; kind: RequestKind; at: number }): Promise<void>
  /** Removes and returns all requests, oldest first. Each request is returned once. */
  take(): Promise<Array<{ jobId: string; kind: RequestKind; at: number }>>
}
