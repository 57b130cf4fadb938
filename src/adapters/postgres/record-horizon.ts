// The number up to which all records are visible. Numbers are assigned before commit, concurrently.
import type { Queries } from './database.ts'

interface Awaited {
  seq: number
  /** Transactions with numbers up to `seq` are older than this. */
  until: bigint
}

/** A reader by number must not pass a number of a running transaction. So a transaction id is taken after the last record
 *  number is read: once no older transaction runs, all numbers are visible. */
export class RecordHorizon {
  #known = 0
  #awaited: Awaited | null = null

  /** Not inside a writing transaction, which would wait for itself. */
  async read(queries: Queries): Promise<number> {
    const seq = await lastNumber(queries)
    if (seq === this.#known) return seq
    // Concurrent readers each use their own value.
    const awaited = this.#awaited ?? { seq, until: await ownTransaction(queries) }
    this.#awaited = awaited
    if ((await oldestRunning(queries)) <= awaited.until) return this.#known
    this.#known = awaited.seq
    this.#awaited = null
    return awaited.seq
  }
}

async function lastNumber(queries: Queries): Promise<number> {
  const text = `SELECT pg_sequence_last_value(pg_get_serial_sequence('records', 'seq')) AS seq`
  return (await queries.one<{ seq: number | null }>(text))?.seq ?? 0
}

async function ownTransaction(queries: Queries): Promise<bigint> {
  const row = await queries.one<{ own: string }>('SELECT pg_current_xact_id()::text AS own')
  return BigInt(row!.own)
}

/** Or the next id, if none runs. */
async function oldestRunning(queries: Queries): Promise<bigint> {
  const text = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest'
  return BigInt((await queries.one<{ oldest: string }>(text))!.oldest)
}
