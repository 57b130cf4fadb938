// The faces of the store that only a service needs: keys, webhooks, schedules, uploads, search, conduct.
import type { ApiKey } from '../model/access.ts'
import type { ConductNote, HostListing, HostOverride, ListingState } from '../model/conduct.ts'
import type { StoredRecord } from '../model/record.ts'
import type { RecordQuery } from '../model/record-query.ts'
import type { NewSchedule, NextTick, Schedule, ScheduleChange, ScheduleRun } from '../model/schedule.ts'
import type { NewUpload, Upload } from '../model/upload.ts'
import type { NewWebhook, Webhook, WebhookAttempt, WebhookState, WebhookSummary } from '../model/webhook.ts'
import type { SinkRecord } from './record-sink.ts'

/** A page of a list: `cursor` is the id of the last one of the page before. Unknown cursors give `cursor.unknown`. */
export interface PageOptions {
  limit?: number
  cursor?: string
}

export interface KeyStore {
  /** `hash` is the SHA-256 of the key, in hex; the key itself is never stored. */
  add(key: Omit<ApiKey, 'revokedAt'>, hash: string): Promise<void>
  /** Also those that were revoked, so that a caller can be told so. */
  byHash(hash: string): Promise<ApiKey | null>
  get(keyId: string): Promise<ApiKey | null>
  /** Oldest first. */
  list(options?: { workspace?: string }): Promise<ApiKey[]>
  /** False when there is no such key, or it was revoked before. */
  revoke(keyId: string, at: number): Promise<boolean>
}

/** Webhooks wait here from the change that they tell of (see `JobChange.webhooks`) until they are delivered or given up. */
export interface OutboxStore {
  /**
   * Enters what tells of things that are in the store already, each once by its id, however often it is entered. Due at once.
   * Nothing when the job is gone.
   */
  enter(jobId: string, webhooks: NewWebhook[]): Promise<void>
  /**
   * Hands out what is due, and nobody else gets it before `now + holdMs`: whoever dies with it loses nothing. Oldest first.
   */
  take(options: { now: number; holdMs: number; limit: number }): Promise<Webhook[]>
  /** Those of them whose hold ends at `from` are held until then instead: not what was settled, or is to be sent again, since. */
  hold(webhookIds: readonly string[], end: { from: number; until: number }): Promise<void>
  /** When the next one is due; null when none waits. */
  nextDue(): Promise<number | null>
  /** Notes a try and what follows from it; `nextAt` for `pending` only. */
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
  /** Sends it again from the start, whatever its state; the log goes on. False when there is none. */
  replay(webhookId: string, now: number): Promise<boolean>
  /**
   * Takes away, with their logs, at most `limit` that were delivered or given up and last tried before that time, of jobs that ended
   * before it or are gone: a job that goes on may enter its own again, and they must be known then. Only of `jobId`, where it is given.
   * Says how many.
   */
  forget(before: number, limit: number, jobId?: string): Promise<number>
}

export interface ScheduleStore {
  /** Throws `schedule.exists` when the id is taken. */
  create(schedule: NewSchedule): Promise<void>
  get(scheduleId: string): Promise<Schedule | null>
  /** Newest first. */
  list(options?: PageOptions & { workspace?: string }): Promise<Schedule[]>
  /** Changes what is given and leaves the rest. Returns what it is now; null when there is none. */
  update(scheduleId: string, change: ScheduleChange): Promise<Schedule | null>
  /** With its runs; the jobs they started stay. */
  delete(scheduleId: string): Promise<boolean>
  /** Not paused, and its time has come. Earliest first. */
  due(now: number, limit: number): Promise<Schedule[]>
  /** When the next of them is due, and whether a run waits for the one before it: one question for whoever looks all the time. */
  nextDue(): Promise<{ at: number | null; runsWait: boolean }>
  /**
   * Enters what became of a tick, and when the schedule is due next (without `next` that stays), in one transaction. False when
   * the tick was entered before as anything but `queued`. A tick that starts a job is entered with the job instead: `NewJob.tick`.
   */
  enterRun(run: ScheduleRun, next?: NextTick): Promise<boolean>
  /** Runs that wait for the one before them, of all schedules. Earliest first. */
  queued(limit: number): Promise<ScheduleRun[]>
  /** Newest first; `before` is the tick of the last one of the page before. */
  runs(scheduleId: string, options?: { limit?: number; before?: number }): Promise<ScheduleRun[]>
}

export interface UploadStore {
  create(upload: NewUpload): Promise<void>
  get(uploadId: string): Promise<Upload | null>
  /** Newest first. */
  list(options?: PageOptions & { workspace?: string }): Promise<Upload[]>
  /** All of it is there. False when it was complete before, or is gone. */
  complete(uploadId: string, done: { bytes: number; at: number }): Promise<boolean>
  delete(uploadId: string): Promise<boolean>
  /** Those that were never completed and no longer can be. */
  expired(now: number, limit: number): Promise<Upload[]>
}

/** The full-text index. It follows the records at its own pace, so that no commit waits for it. */
export interface SearchStore {
  /** Takes in up to `limit` records that came since; says how many, and whether there are more. */
  advance(limit: number): Promise<{ indexed: number; behind: boolean }>
  /** Forgets everything; `advance` builds it anew. */
  rebuild(): Promise<void>
  query(query: RecordQuery): Promise<StoredRecord[]>
}

export interface ConductStore {
  note(jobId: string, notes: ConductNote[]): Promise<void>
  /** In the order in which they were made. */
  notes(jobId: string): Promise<ConductNote[]>

  /** Takes the place of what was set before. */
  setOverride(override: HostOverride): Promise<void>
  override(host: string): Promise<HostOverride | null>
  overrides(): Promise<HostOverride[]>
  dropOverride(host: string): Promise<boolean>

  enterListing(listing: HostListing): Promise<void>
  listing(id: string): Promise<HostListing | null>
  /** Newest first. */
  listings(
    options?: PageOptions & { states?: ListingState[]; list?: HostListing['list'] },
  ): Promise<HostListing[]>
  decide(id: string, decision: { state: ListingState; by: string; at: number }): Promise<boolean>
  deleteListing(id: string): Promise<boolean>

  /** Another one after every change of overrides and listings: whoever keeps them in force need not read them all to know. */
  version(): Promise<string>
}

/** A record that a sink would not take. */
export interface DeadLetter {
  jobId: string
  n: number
  index: number
  /** Which record it was when it was sent. */
  seq: number
  reason: string
  at: number
}

/** How far each place that records are sent to has come, and what it would not take. */
export interface SinkStore {
  /** What comes after its position, oldest first, of all jobs. None whose elders may still be committed. */
  next(sink: string, limit: number): Promise<SinkRecord[]>
  /** Everything up to `seq` was taken, but for these. One transaction; never goes back. */
  advance(sink: string, seq: number, dead: readonly DeadLetter[]): Promise<void>
  /** Oldest first; `after` is the place of the last one of the page before. */
  deadLetters(
    sink: string,
    options?: { after?: number; limit?: number },
  ): Promise<Array<DeadLetter & { place: number }>>
  /** The records of dead letters as they are now: those that are gone are left out. */
  records(letters: readonly DeadLetter[]): Promise<SinkRecord[]>
  /** What became of dead letters that were sent again: forgotten where they were taken or are gone, else with the new reason. */
  settleDead(
    sink: string,
    outcomes: ReadonlyArray<{ place: number; reason: string | null }>,
    at: number,
  ): Promise<void>
}
