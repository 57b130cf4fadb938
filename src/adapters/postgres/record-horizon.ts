// Up to which number all records are there that ever will be. Numbers are given before they are committed, by many at once.
import type { Queries } from './database.ts'

interface Awaited {
  seq: number
  /** Those who took a number up to `seq` have an older transaction than this. */
  until: bigint
}

/**
 * Whoever follows the records by their numbers must not pass one that a transaction under way has taken. So the number of a
 * transaction of our own is taken after the last number of a record is read: once no older one is under way, all of them are there.
 */
export class RecordHorizon {
  #known = 0
  #awaited: Awaited | null = null

  /** Not to be asked inside a transaction that writes, which would wait for itself. */
  async read(queries: Queries): Promise<number> {
    const seq = await lastNumber(queries)
    if (seq === this.#known) return seq
    // Others may read at the same time: each goes by what it found itself.
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

/** Or the next one that will be given, when none is. */
async function oldestRunning(queries: Queries): Promise<bigint> {
  const text = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest'
  return BigInt((await queries.one<{ oldest: string }>(text))!.oldest)
}
