// Sinks: their position in the records, and rejected records.
import type { SinkRecord } from '../../ports/record-sink.ts'
import type { DeadLetter, SinkStore } from '../../ports/service-stores.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'
import { type RecordRow, recordOf } from './records.ts'

type SinkRow = RecordRow & { job_id: string; workspace: string; host: number }

const columns = 'r.*, j.id AS job_id, j.workspace, t.url, t.item_id, t.input, t.host'
const joined = 'JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n'

export function sinkStore({ connection, names }: Parts): SinkStore {
  return {
    async next(sink, limit) {
      const rows = connection.all<SinkRow>(
        `SELECT ${columns} FROM records r ${joined}
         WHERE r.seq > coalesce((SELECT seq FROM sinks WHERE name = ?), 0) ORDER BY r.seq LIMIT ?`,
        sink,
        limit,
      )
      return rows.map(row => sinkRecord(row, names))
    },

    async advance(sink, seq, dead) {
      connection.write(() => {
        connection.run(
          `INSERT INTO sinks (name, seq) VALUES (?, ?)
           ON CONFLICT (name) DO UPDATE SET seq = max(seq, excluded.seq)`,
          sink,
          seq,
        )
        const enter = connection.prepare(
          'INSERT INTO dead_letters (sink, job_id, n, idx, seq, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        for (const one of dead) enter.run(sink, one.jobId, one.n, one.index, one.seq, one.reason, one.at)
      })
    },

    async deadLetters(sink, { after = 0, limit = 100 } = {}) {
      const rows = connection.all<DeadLetter & { place: number }>(
        `SELECT place, job_id AS jobId, n, idx AS "index", seq, reason, at FROM dead_letters
         WHERE sink = ? AND place > ? ORDER BY place LIMIT ?`,
        sink,
        after,
        limit,
      )
      return rows.map(row => ({ ...row }))
    },

    async records(letters) {
      const find = connection.prepare(
        `SELECT ${columns} FROM records r ${joined} WHERE j.id = ? AND r.n = ? AND r.idx = ?`,
      )
      const rows = letters.map(({ jobId, n, index }) => find.get(jobId, n, index) as SinkRow | undefined)
      return rows.filter(row => row !== undefined).map(row => sinkRecord(row, names))
    },

    async settleDead(sink, outcomes, at) {
      connection.write(() => {
        for (const { place, reason } of outcomes)
          if (reason === null)
            connection.run('DELETE FROM dead_letters WHERE sink = ? AND place = ?', sink, place)
          else
            connection.run(
              'UPDATE dead_letters SET reason = ?, at = ? WHERE sink = ? AND place = ?',
              reason,
              at,
              sink,
              place,
            )
      })
    },
  }
}

const sinkRecord = (row: SinkRow, names: Names): SinkRecord => ({
  ...recordOf(row.job_id, row, names),
  workspace: row.workspace,
  host: names.textOf(row.host),
})
