// Sinks: reads the records after a sink's position, and its rejected records.
import { shownRow } from '../../model/hidden-row.ts'
import type { SinkRecord } from '../../ports/record-sink.ts'
import type { SinkStore } from '../../ports/service-stores.ts'
import { deadLetterStore } from '../sql/sinks.ts'
import type { Sql } from '../sql/sql.ts'
import type { Database } from './database.ts'
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

export function sinkStore(database: Database, horizon: RecordHorizon, sql: Sql): SinkStore {
  return {
    ...deadLetterStore(sql),

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
  }
}

const sinkRecord = (row: SinkRow): SinkRecord => ({
  ...recordOf(row),
  ...{ seq: row.seq, n: row.n, url: row.url, workspace: row.workspace, host: row.host },
  jobId: row.job_id,
  itemId: row.item_id,
  ...shownRow(row.input, row.way),
})
