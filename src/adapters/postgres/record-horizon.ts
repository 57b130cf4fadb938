// Up to which number all records are there that ever will be. Numbers are given before they are committed, by many at once.
import type { Queries } from './database.ts'

/**
 * Whoever follows the records by their numbers must not pass one that a transaction under way has taken. Those that have taken a number
 * up to now have a transaction id below the next one to be given; once no older one is under way, all of their records are there.
 */
export class RecordHorizon {
  #known = 0
  #awaited: { seq: number; until: bigint } | null = null

  /** Not to be asked inside a transaction that writes, which would wait for itself. */
  async read(queries: Queries): Promise<number> {
    // In this order, and by statements of their own: who takes a number in between is counted as under way.
    const taken = await queries.one<{ seq: number | null }>(
      `SELECT pg_sequence_last_value(pg_get_serial_sequence('records', 'seq')) AS seq`,
    )
    const running = await queries.one<{ oldest: string; next: string }>(
      'SELECT pg_snapshot_xmin(s)::text AS oldest, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() s',
    )
    this.#learn(taken?.seq ?? 0, BigInt(running!.oldest), BigInt(running!.next))
    return this.#known
  }

  #learn(seq: number, oldest: bigint, next: bigint): void {
    if (this.#awaited && oldest >= this.#awaited.until) {
      this.#known = this.#awaited.seq
      this.#awaited = null
    }
    if (oldest >= next) this.#known = seq
    else this.#awaited ??= { seq, until: next }
  }
}
