// One SQLite file: opens it, prepares statements and runs transactions.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Durability } from '../sql/sql.ts'
import { type CheckpointLimits, Checkpoints, usualLimits } from './checkpoints.ts'
import { turnOnLog } from './write-ahead-log.ts'

/** Size of the page cache. It holds half of the table `seen` of a job with a million tasks, which is written in random
 *  order. A larger cache is hardly faster. */
const cacheKiB = 16 * 1_024

export interface ConnectionOptions {
  path: string
  readOnly: boolean
  /** How long a writer waits for a transaction of another process, in milliseconds. */
  busyTimeoutMs: number
  checkpointLimits?: CheckpointLimits
}

export class Connection implements Disposable {
  readonly path: string
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #onRollback: Array<() => void> = []
  /** Null for readers. */
  readonly checkpoints: Checkpoints | null

  constructor({ path, readOnly, busyTimeoutMs, checkpointLimits = usualLimits }: ConnectionOptions) {
    this.path = path
    this.#database = new DatabaseSync(path, {
      readOnly,
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: false,
    })
    this.#database.exec(`PRAGMA cache_size = -${cacheKiB}; PRAGMA temp_store = MEMORY`)
    if (!readOnly) {
      turnOnLog(this.#database, busyTimeoutMs)
      this.#database.exec('PRAGMA synchronous = FULL')
    }
    this.checkpoints = readOnly ? null : new Checkpoints(this.#database, path, checkpointLimits)
  }

  /** Prepares each statement text once. Shared SQL numbers parameters as $1, which node:sqlite would bind by name, so they are
   *  changed to ?1. */
  prepare(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.#database.prepare(text.replace(/\$(\d+)/g, '?$1'))
    this.#statements.set(text, statement)
    return statement
  }

  one<Row>(text: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(text).get(...values) as Row | undefined
  }

  all<Row>(text: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(text).all(...values) as Row[]
  }

  /** Runs a statement and returns the number of changed rows. */
  run(text: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(text).run(...values).changes)
  }

  exec(script: string): void {
    this.#database.exec(script)
  }

  /** Registers a function that clears caches after a rollback. */
  onRollback(forget: () => void): void {
    this.#onRollback.push(forget)
  }

  /** The transaction is atomic. It takes the write lock at the start, so that another writer cannot make it fail half-way. */
  write<Result>(work: () => Result, durability: Durability = 'durable'): Result {
    if (durability === 'relaxed') this.#database.exec('PRAGMA synchronous = NORMAL')
    try {
      return this.#transaction(work)
    } finally {
      if (durability === 'relaxed') this.#database.exec('PRAGMA synchronous = FULL')
    }
  }

  /** Runs `work` in a savepoint within a write. If `work` throws, only its own changes are rolled back. */
  attempt<Result>(work: () => Result): Result {
    this.#database.exec('SAVEPOINT attempt')
    try {
      const result = work()
      this.#database.exec('RELEASE attempt')
      return result
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK TO attempt; RELEASE attempt')
      for (const forget of this.#onRollback) forget()
      throw error
    }
  }

  #transaction<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.exec('COMMIT')
      this.checkpoints?.committed()
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  #rollBack(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    for (const forget of this.#onRollback) forget()
  }

  /** Closing the last connection merges the log into the file and deletes it. */
  [Symbol.dispose](): void {
    this.checkpoints?.stop()
    if (this.#database.isOpen) this.#database.close()
  }
}
