// Enables the write-ahead log of a new file, with retries that SQLite does not do itself.
import type { DatabaseSync } from 'node:sqlite'

const lookAgainMs = 5

/** Two processes that open a new file at the same moment both have a read lock, so neither can upgrade it. SQLite then fails one
 *  of them, and this function retries it. */
export function turnOnLog(database: Pick<DatabaseSync, 'exec'>, patienceMs: number): void {
  const until = performance.now() + patienceMs
  while (!isTurnedOn(database, until)) blockThread(lookAgainMs)
}

function isTurnedOn(database: Pick<DatabaseSync, 'exec'>, until: number): boolean {
  try {
    database.exec('PRAGMA journal_mode = WAL')
    return true
  } catch (error) {
    if (isBusy(error) && performance.now() < until) return false
    throw error
  }
}

/** SQLITE_BUSY, including its extended codes. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5

/** Blocks the whole thread, as SQLite's own waits do. */
const blockThread = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)
