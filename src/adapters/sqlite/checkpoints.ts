// Decides when the write-ahead log is copied into the database file. A large log is copied on another thread, because the copy
// can take seconds on a slow disk and would block the event loop.

import { extname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { Failure } from '../../model/failures.ts'

export interface CheckpointLimits {
  /** From this number of pages on, the log is copied on another thread: 128 MB. The limit is high, because a page that changed
   *  many times is copied only once. After a kill, reading a log of this size takes a fraction of a second. */
  largeLog: number
  /** From this number of pages on, a commit copies the log on its own thread: 256 MB. The log reaches this size only if it grows
   *  during every copy on the other thread. */
  largestLog: number
  /** An idle connection copies up to this many pages on this thread: 4 MB. A thread would cost more. */
  smallCopy: number
}

export const usualLimits: CheckpointLimits = { largeLog: 32_000, largestLog: 64_000, smallCopy: 1_000 }

/** Minimum time between two checks of the log size. A check follows a commit. */
const lookMs = 250
/** A connection that wrote nothing for about this long is idle. */
const idleMs = 1_000

const pageBytes = 4_096
/** The thread has almost no data in V8's heap. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }
const threadFile = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url)

export class Checkpoints implements AsyncDisposable {
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #limits: CheckpointLimits
  readonly #size: StatementSync
  #thread: Worker | null = null
  #idleTimer: NodeJS.Timeout | null = null
  #writtenAt = 0
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(database: DatabaseSync, path: string, limits: CheckpointLimits) {
    this.#database = database
    this.#path = path
    this.#limits = limits
    database.exec(`
      PRAGMA wal_autocheckpoint = ${limits.largestLog};
      PRAGMA journal_size_limit = ${limits.largeLog * pageBytes}`)
    this.#size = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  }

  /** Whether another thread copies the log. */
  get isCopying(): boolean {
    return this.#thread !== null
  }

  /** Call this after every commit. */
  committed(): void {
    this.#writtenAt = performance.now()
    this.#idleTimer ??= setTimeout(() => this.#onIdleTimer(), idleMs).unref()
    if (this.#writtenAt - this.#lookedAt < lookMs) return
    this.#lookedAt = this.#writtenAt
    if (this.#log().pages >= this.#limits.largeLog) this.#copyOnThread()
  }

  #log(): { pages: number; notCopied: number } {
    const { log, checkpointed } = this.#size.get() as { log: number; checkpointed: number }
    return { pages: log, notCopied: log - checkpointed }
  }

  #onIdleTimer(): void {
    this.#idleTimer = null
    const quietMs = performance.now() - this.#writtenAt
    if (quietMs >= idleMs / 2) this.#copyWhileIdle()
    else this.#idleTimer = setTimeout(() => this.#onIdleTimer(), idleMs).unref()
  }

  #copyWhileIdle(): void {
    try {
      const { notCopied } = this.#log()
      if (notCopied > this.#limits.smallCopy) this.#copyOnThread()
      else if (notCopied > 0) this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // Ignore errors: the log still has all data. If the disk is the reason, a later commit fails and reports it.
    }
  }

  #copyOnThread(): void {
    if (this.#thread || this.#log().notCopied === 0) return
    const thread = new Worker(threadFile, { workerData: this.#path, resourceLimits, execArgv: [] })
    this.#thread = thread
    // A copy alone does not keep the process running.
    thread.unref()
    // Nothing is lost: the log still has all data, and a commit copies it if it becomes too large.
    thread.once('error', error =>
      process.emitWarning(`the log of ${this.#path} could not be copied on another thread: ${error.message}`),
    )
    thread.on('exit', () => {
      this.#thread = null
    })
  }

  async #threadEnded(): Promise<void> {
    const thread = this.#thread
    if (thread === null) return
    // A caller waits now, so the process must run until the thread ends.
    thread.ref()
    await new Promise<void>(resolve => thread.once('exit', () => resolve()))
  }

  /** Empties the log, so that it no longer contains deleted rows. */
  async empty(): Promise<void> {
    await this.#threadEnded()
    const { busy } = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
    if (busy === 0) return
    const message = `${this.#path}-wal still contains deleted rows, because another process reads the store: end that process, and run the command again`
    throw new Failure('store.busy', message, { path: this.#path })
  }

  /** Ends the timer. */
  stop(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
  }

  /** Waits until the other thread has ended, so that our connection closes last: the last one merges the log into the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    await this.#threadEnded()
  }
}
