// Sinks: the records after their position, and rejected records (dead letters).
import type { SinkRecord } from '../../ports/record-sink.ts'
import type { DeadLetter, SinkStore } from '../../ports/service-stores.ts'
import { recordColumns, shownRecord } from './records.ts'
import { rowsText, run, type Sql, type Steps } from './sql.ts'

const letterColumns = {
  job_id: 'text',
  n: 'bigint',
  idx: 'integer',
  seq: 'bigint',
  reason: 'text',
  at: 'bigint',
} as const

/** `horizon` reads the highest record number up to which no open transaction can still add records. */
export const sinkStore = (sql: Sql, horizon: () => Promise<number>): SinkStore => ({
  ...following(sql, horizon),
  ...deadLetters(sql),
})

function following(sql: Sql, horizon: () => Promise<number>): Pick<SinkStore, 'next' | 'records'> {
  const columns = `${recordColumns(sql)}, j.workspace, ${sql.word('t.host')} AS host`
  return {
    async next(sink, limit) {
      const rows = await sql.all<SinkRecord>(
        `SELECT ${columns} FROM (
           SELECT * FROM records WHERE seq > coalesce((SELECT seq FROM sinks WHERE name = $1), 0) AND seq <= $3
           ORDER BY seq LIMIT $2
         ) r JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n ORDER BY r.seq`,
        ...[sink, limit, await horizon()],
      )
      return rows.map(shownRecord)
    },

    async records(letters) {
      const wanted = letters.map(({ jobId, n, index }, place) => ({ place, id: jobId, n, idx: index }))
      const rows = await sql.all<SinkRecord>(
        `SELECT ${columns} FROM ${sql.rows('$1', 'w', wantedColumns)} JOIN jobs j ON j.id = w.id
         JOIN records r ON r.job_no = j.job_no AND r.n = w.n AND r.idx = w.idx
         JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n ORDER BY w.place`,
        rowsText(wanted),
      )
      return rows.map(shownRecord)
    },
  }
}

const wantedColumns = { place: 'integer', id: 'text', n: 'bigint', idx: 'integer' } as const

function deadLetters(sql: Sql): Omit<SinkStore, 'next' | 'records'> {
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
