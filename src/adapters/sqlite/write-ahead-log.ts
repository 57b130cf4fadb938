// Turns the log of a new file on: the one step for which SQLite does not always wait for others by itself.
import type { DatabaseSync } from 'node:sqlite'

const lookAgainMs = 5

/** Two who open a new file at the same moment have both read it, and none may change it while the other has: SQLite tells one of them to give up. */
export function turnOnLog(database: Pick<DatabaseSync, 'exec'>, patienceMs: number): void {
  const until = performance.now() + patienceMs
  while (!isTurnedOn(database, until)) standStill(lookAgainMs)
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

/** SQLITE_BUSY, whatever its upper bits say. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5

/** The whole thread, as it does when SQLite waits. */
const standStill = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)
