// The highest number up to which all records are visible. Concurrent transactions take record numbers before they commit, so a
// record with a lower number may become visible after one with a higher number.
import type { Queries } from './database.ts'

interface Awaited {
  seq: number
  /** All transactions that use numbers up to `seq` have an id lower than this. */
  until: bigint
}

/** A reader must not skip the number of a running transaction. So a transaction id is taken after the last record number is
 *  read. When no older transaction runs, all numbers up to that record are visible. */
export class RecordHorizon {
  #known = 0
  #awaited: Awaited | null = null

  /** Must not be called inside a writing transaction, which would wait for itself. */
  async read(queries: Queries): Promise<number> {
    const seq = await lastNumber(queries)
    if (seq === this.#known) return seq
    // A local copy, because a concurrent reader may replace `#awaited`.
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

/** The id of the oldest running transaction, or the next id if none runs. */
async function oldestRunning(queries: Queries): Promise<bigint> {
  const text = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest'
  return BigInt((await queries.one<{ oldest: string }>(text))!.oldest)
}
