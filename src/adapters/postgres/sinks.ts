// Sinks: their position in the records, and rejected records.
import { givenRow } from '../../model/followed.ts'
import type { SinkRecord } from '../../ports/record-sink.ts'
import type { DeadLetter, SinkStore } from '../../ports/service-stores.ts'
import type { Database, Queries } from './database.ts'
import type { RecordHorizon } from './record-horizon.ts'
import { type RecordRow, recordOf } from './record-rows.ts'
import { rowsTable } from './rows.ts'

type SinkRow = RecordRow & {
  job_id: string
  workspace: string
  url: string
  item_id: string | null
  input: string | null
  host: string
}

const columns = 'r.*, j.id AS job_id, j.workspace, t.url, t.item_id, t.input, t.host'
const joined = 'JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n'

export function sinkStore(database: Database, horizon: RecordHorizon): SinkStore {
  return {
    async next(sink, limit) {
      const rows = await database.all<SinkRow>(
        `SELECT ${columns} FROM (
           SELECT * FROM records r WHERE r.seq > coalesce((SELECT seq FROM sinks WHERE name = $1), 0) AND r.seq <= $3
           ORDER BY r.seq LIMIT $2
         ) r ${joined} ORDER BY r.seq`,
        sink,
        limit,
        await horizon.read(database),
      )
      return rows.map(sinkRecord)
    },

    advance: (sink, seq, dead) =>
      database.transaction(async queries => {
        await queries.run(
          `INSERT INTO sinks (name, seq) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET seq = greatest(sinks.seq, excluded.seq)`,
          sink,
          seq,
        )
        await enterDead(queries, sink, dead)
      }),

    deadLetters: (sink, { after = 0, limit = 100 } = {}) =>
      database.all<DeadLetter & { place: number } & Record<string, unknown>>(
        `SELECT place, job_id AS "jobId", n, idx AS index, seq, reason, at FROM dead_letters
         WHERE sink = $1 AND place > $2 ORDER BY place LIMIT $3`,
        sink,
        after,
        limit,
      ),

    async records(letters) {
      const wanted = letters.map(({ jobId, n, index }) => ({ id: jobId, n, idx: index }))
      const table = rowsTable('w', { id: 'text', n: 'bigint', idx: 'integer' }, wanted)
      const rows = await database.all<SinkRow>(
        `SELECT ${columns} FROM ${table.sql} JOIN jobs j ON j.id = w.id
         JOIN records r ON r.job_no = j.job_no AND r.n = w.n AND r.idx = w.idx
         JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n ORDER BY w.ord`,
        ...table.values,
      )
      return rows.map(sinkRecord)
    },

    settleDead: (sink, outcomes, at) =>
      database.transaction(async queries => {
        const gone = outcomes.filter(({ reason }) => reason === null).map(({ place }) => place)
        await queries.run(
          'DELETE FROM dead_letters WHERE sink = $1 AND place = ANY($2::bigint[])',
          sink,
          gone,
        )
        const left = outcomes.filter(({ reason }) => reason !== null)
        const table = rowsTable('o', { place: 'bigint', reason: 'text' }, left, 3)
        await queries.run(
          `UPDATE dead_letters d SET reason = o.reason, at = $2 FROM ${table.sql} WHERE d.sink = $1 AND d.place = o.place`,
          sink,
          at,
          ...table.values,
        )
      }),
  }
}

async function enterDead(queries: Queries, sink: string, dead: readonly DeadLetter[]): Promise<void> {
  if (dead.length === 0) return
  const rows = dead.map(({ jobId, n, index, seq, reason, at }) => ({
    job_id: jobId,
    n,
    idx: index,
    seq,
    reason,
    at,
  }))
  const types = {
    job_id: 'text',
    n: 'bigint',
    idx: 'integer',
    seq: 'bigint',
    reason: 'text',
    at: 'bigint',
  } as const
  const table = rowsTable('r', types, rows, 2)
  const names = Object.keys(types).join(', ')
  await queries.run(
    `INSERT INTO dead_letters (sink, ${names}) SELECT $1, ${names} FROM ${table.sql} ORDER BY ord`,
    sink,
    ...table.values,
  )
}

const sinkRecord = (row: SinkRow): SinkRecord => ({
  ...recordOf(row),
  ...{ seq: row.seq, n: row.n, url: row.url, workspace: row.workspace, host: row.host },
  jobId: row.job_id,
  itemId: row.item_id,
  input: givenRow(row.input),
})
