// The parts of the store that only a service needs: keys, webhooks, schedules, uploads, search, conduct.
import type { ApiKey } from '../model/access.ts'
import type { ConductNote, HostListing, HostOverride, ListingState } from '../model/conduct.ts'
import type { StoredRecord } from '../model/record.ts'
import type { RecordQuery } from '../model/record-query.ts'
import type { NewSchedule, NextTick, Schedule, ScheduleChange, ScheduleRun } from '../model/schedule.ts'
import type { NewUpload, Upload } from '../model/upload.ts'
import type { NewWebhook, Webhook, WebhookAttempt, WebhookState, WebhookSummary } from '../model/webhook.ts'
import type { SinkRecord } from './record-sink.ts'

/** `cursor` is the last id of the previous page. An unknown cursor throws `cursor.unknown`. */
interface PageOptions {
  limit?: number
  cursor?: string
}

export interface KeyStore {
  /** `hash` is the SHA-256 of the key, in hex; the key itself is never stored. */
  add(key: Omit<ApiKey, 'revokedAt'>, hash: string): Promise<void>
  /** Includes revoked keys, so that the API can say that the key is revoked. */
  byHash(hash: string): Promise<ApiKey | null>
  get(keyId: string): Promise<ApiKey | null>
  /** Oldest first. */
  list(options?: { workspace?: string }): Promise<ApiKey[]>
  /** False if the key does not exist or is already revoked. */
  revoke(keyId: string, at: number): Promise<boolean>
}

/** The outbox: webhooks that are stored and not yet delivered or dead. Changes of a job add them with `JobChange.webhooks`. */
export interface OutboxStore {
  /**
   * Adds webhooks about data that is already stored. They are due at once. Idempotent by id. Does nothing if the job is deleted.
   */
  enter(jobId: string, webhooks: NewWebhook[]): Promise<void>
  /**
   * Leases due webhooks until `now + holdMs`, oldest first. If the process dies, they become due again.
   */
  take(options: { now: number; holdMs: number; limit: number }): Promise<Webhook[]>
  /** Extends leases that end at `from`. Webhooks that were settled or replayed since are unchanged. */
  hold(webhookIds: readonly string[], end: { from: number; until: number }): Promise<void>
  /** Stores a delivery attempt and the new state of the webhook. A `pending` webhook is sent again at `nextAt`. */
  settle(
    webhookId: string,
    attempt: Omit<WebhookAttempt, 'attempt'>,
    next: { state: 'delivered' | 'dead' } | { state: 'pending'; nextAt: number },
  ): Promise<void>
  get(webhookId: string): Promise<Webhook | null>
  /** Newest first. */
  list(
    options?: PageOptions & { workspace?: string; jobId?: string; states?: WebhookState[] },
  ): Promise<WebhookSummary[]>
  attempts(webhookId: string): Promise<WebhookAttempt[]>
  /** Makes a webhook of any state due at `now`. Keeps the log of its attempts. False if the webhook does not exist. */
  replay(webhookId: string, now: number): Promise<boolean>
}

interface DueSchedules {
  schedules: Schedule[]
  queued: ScheduleRun[]
  /** The earliest due time of all schedules that are not paused, past or future. Null if no schedule will be due. */
  nextAt: number | null
}

export interface ScheduleStore {
  /** Throws `schedule.exists` if the id is taken. */
  create(schedule: NewSchedule): Promise<void>
  get(scheduleId: string): Promise<Schedule | null>
  /** Newest first. */
  list(options?: PageOptions & { workspace?: string }): Promise<Schedule[]>
  /** Changes the given fields. Returns the new schedule; null if it does not exist. */
  update(scheduleId: string, change: ScheduleChange): Promise<Schedule | null>
  /** Deletes the schedule and its runs. Their jobs stay. */
  delete(scheduleId: string): Promise<boolean>
  /**
   * Schedules that are due and not paused, and queued runs that can start, earliest first. A queued run cannot start
   * while its schedule waits for the end of the previous run. The service polls this method, so an implementation should
   * usually need one query.
   */
  due(now: number, limit: number): Promise<DueSchedules>
  /**
   * Stores the outcome of a tick and the next due time in one transaction. Without `next`, the due time stays. False if
   * the tick is already stored with an outcome other than `queued`. A tick that starts a job is stored with the job:
   * `NewJob.tick`.
   */
  enterRun(run: ScheduleRun, next?: NextTick): Promise<boolean>
  /** Newest first. `before` is the last tick of the previous page. */
  runs(
    scheduleId: string,
    options?: { limit?: number; before?: number; outcome?: ScheduleRun['outcome'] },
  ): Promise<ScheduleRun[]>
}

export interface UploadStore {
  create(upload: NewUpload): Promise<void>
  get(uploadId: string): Promise<Upload | null>
  /** Newest first. */
  list(options?: PageOptions & { workspace?: string }): Promise<Upload[]>
  /** Marks the upload as complete. False if it is complete already or does not exist. */
  complete(uploadId: string, done: { bytes: number; at: number }): Promise<boolean>
  delete(uploadId: string): Promise<boolean>
  /** Incomplete uploads whose URL has expired. */
  expired(now: number, limit: number): Promise<Upload[]>
}

/** The full-text index of records. It is updated after the commit, so that no commit waits for indexing. */
export interface SearchStore {
  /** Indexes up to `limit` new records, fewer if they are large. Returns how many, and whether more wait. */
  advance(limit: number): Promise<{ indexed: number; behind: boolean }>
  query(query: RecordQuery): Promise<StoredRecord[]>
}

export interface ConductStore {
  note(jobId: string, notes: ConductNote[]): Promise<void>
  /** Oldest first. */
  notes(jobId: string): Promise<ConductNote[]>

  /** Replaces an existing override of the host. */
  setOverride(override: HostOverride): Promise<void>
  /** The override of this host, or of all hosts. */
  overrides(host?: string): Promise<HostOverride[]>
  dropOverride(host: string): Promise<boolean>

  enterListing(listing: HostListing): Promise<void>
  listing(id: string): Promise<HostListing | null>
  /** Newest first. */
  listings(
    options?: PageOptions & { states?: ListingState[]; list?: HostListing['list'] },
  ): Promise<HostListing[]>
  decide(id: string, decision: { state: ListingState; by: string; at: number }): Promise<boolean>
  deleteListing(id: string): Promise<boolean>

  /** Changes whenever an override or listing changes. Compare it instead of rereading. */
  version(): Promise<string>
}

/** A record that a sink refused. */
export interface DeadLetter {
  jobId: string
  n: number
  index: number
  /** `seq` that the record had when it was sent to the sink. */
  seq: number
  reason: string
  at: number
}

/** The position of each sink in the records, and the records that it refused. */
export interface SinkStore {
  /** Records of all jobs after the sink's position, oldest first. Stops before a `seq` that an open transaction may still commit. */
  next(sink: string, limit: number): Promise<SinkRecord[]>
  /** Moves the position to `seq` and stores the refused records, in one transaction. The position never moves back. */
  advance(sink: string, seq: number, dead: readonly DeadLetter[]): Promise<void>
  /** Oldest first. `after` is the last `place` of the previous page. */
  deadLetters(
    sink: string,
    options?: { after?: number; limit?: number },
  ): Promise<Array<DeadLetter & { place: number }>>
  /** The current records of dead letters. Deleted records are left out. */
  records(letters: readonly DeadLetter[]): Promise<SinkRecord[]>
  /** Stores the outcome of dead letters that were sent again: deletes letters with a null reason, and updates the
   *  reason of all other letters. */
  settleDead(
    sink: string,
    outcomes: ReadonlyArray<{ place: number; reason: string | null }>,
    at: number,
  ): Promise<void>
}

/** A change of an item's state. If `n` is 0, the state of the job itself changed. */
export interface ItemChange {
  /** A later change of the same item has a higher version. */
  version: number
  /** Empty if the job was deleted. */
  jobId: string
  n: number
}

/** Changes of job items that the item mirror has not received. While a mirror follows, each transaction stores its own changes. */
export interface ItemChangeStore {
  /** Starts storing changes, and adds a change for each item of the jobs that have not ended. Idempotent. */
  follow(): Promise<void>
  /** Stops storing changes, and deletes the stored changes. */
  leave(): Promise<void>
  /** Oldest first. */
  next(limit: number): Promise<ItemChange[]>
  forget(changes: readonly ItemChange[]): Promise<void>
}
