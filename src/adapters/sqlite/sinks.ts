// Sinks: reads the records after a sink's position, and its rejected records.
import type { SinkRecord } from '../../ports/record-sink.ts'
import type { SinkStore } from '../../ports/service-stores.ts'
import { deadLetterStore } from '../sql/sinks.ts'
import type { Sql } from '../sql/sql.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'
import { type RecordRow, recordOf } from './records.ts'

type SinkRow = RecordRow & { job_id: string; workspace: string; host: number }

const columns = 'r.*, j.id AS job_id, j.workspace, t.url, t.item_id, t.input, t.host'
const joined = 'JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n'

export function sinkStore({ connection, names }: Parts, sql: Sql): SinkStore {
  return {
    ...deadLetterStore(sql),

    async next(sink, limit) {
      const rows = connection.all<SinkRow>(
        `SELECT ${columns} FROM records r ${joined}
         WHERE r.seq > coalesce((SELECT seq FROM sinks WHERE name = ?), 0) ORDER BY r.seq LIMIT ?`,
        sink,
        limit,
      )
      return rows.map(row => sinkRecord(row, names))
    },

    async records(letters) {
      const find = connection.prepare(
        `SELECT ${columns} FROM records r ${joined} WHERE j.id = ? AND r.n = ? AND r.idx = ?`,
      )
      const rows = letters.map(({ jobId, n, index }) => find.get(jobId, n, index) as SinkRow | undefined)
      return rows.filter(row => row !== undefined).map(row => sinkRecord(row, names))
    },
  }
}

const sinkRecord = (row: SinkRow, names: Names): SinkRecord => ({
  ...recordOf(row.job_id, row, names),
  workspace: row.workspace,
  host: names.textOf(row.host),
})
