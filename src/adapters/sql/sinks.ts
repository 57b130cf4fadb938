// Sinks: their position in the records, and rejected records (dead letters).
import type { DeadLetter, SinkStore } from '../../ports/service-stores.ts'
import { rowsText, run, type Sql, type Steps } from './sql.ts'

const letterColumns = {
  job_id: 'text',
  n: 'bigint',
  idx: 'integer',
  seq: 'bigint',
  reason: 'text',
  at: 'bigint',
} as const

/** Leaves out the methods that read records, which differ between the stores. */
export function deadLetterStore(sql: Sql): Omit<SinkStore, 'next' | 'records'> {
  return {
    advance: (sink, seq, dead) =>
      sql.transaction(function* () {
        yield* run(
          `INSERT INTO sinks (name, seq) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET seq = excluded.seq WHERE sinks.seq < excluded.seq`,
          sink,
          seq,
        )
        if (dead.length > 0) yield* enterDead(sql, sink, dead)
      }),

    deadLetters: (sink, { after = 0, limit = 100 } = {}) =>
      sql.all<DeadLetter & { place: number }>(
        `SELECT place, job_id AS "jobId", n, idx AS "index", seq, reason, at FROM dead_letters
         WHERE sink = $1 AND place > $2 ORDER BY place LIMIT $3`,
        sink,
        after,
        limit,
      ),

    settleDead: (sink, outcomes, at) =>
      sql.transaction(function* () {
        const gone = outcomes.filter(({ reason }) => reason === null).map(({ place }) => place)
        const drop = `DELETE FROM dead_letters WHERE sink = $1 AND ${sql.among('place', '$2', 'bigint')}`
        yield* run(drop, sink, gone)
        const left = outcomes.filter(({ reason }) => reason !== null)
        const rows = sql.rows('$3', 'o', { place: 'bigint', reason: 'text' })
        yield* run(
          `UPDATE dead_letters SET reason = o.reason, at = $2 FROM ${rows}
           WHERE dead_letters.sink = $1 AND dead_letters.place = o.place`,
          ...[sink, at, rowsText(left)],
        )
      }),
  }
}

function* enterDead(sql: Sql, sink: string, dead: readonly DeadLetter[]): Steps<void> {
  const letters = dead.map(({ jobId, index, ...letter }) => ({ job_id: jobId, idx: index, ...letter }))
  const names = Object.keys(letterColumns).join(', ')
  const rows = sql.rows('$2', 'r', letterColumns)
  yield* run(
    `INSERT INTO dead_letters (sink, ${names}) SELECT CAST($1 AS text), ${names} FROM ${rows}`,
    sink,
    rowsText(letters),
  )
}
