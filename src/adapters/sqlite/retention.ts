// Finds and deletes expired rows.
import type { JobRetention } from '../../model/policy/retention.ts'
import type { EndedJob, RetentionStore } from '../../ports/retention.ts'
import { findJobNumber } from './job-numbers.ts'
import { forgettable } from './outbox.ts'
import type { Parts } from './parts.ts'

interface EndedRow {
  job_no: number
  id: string
  finished_at: number
  schedule_id: string | null
  retention: string | null
}

export function retentionStore({ connection }: Parts): RetentionStore {
  const count = (text: string, ...values: Array<string | number | null>): number =>
    connection.one<{ count: number }>(text, ...values)!.count
  return {
    async ended({ after, limit }) {
      const text = `SELECT j.job_no, j.id, j.finished_at, j.schedule_id, s.spec ->> '$.retention' AS retention
        FROM jobs j JOIN job_specs s ON s.job_no = j.job_no
        WHERE j.job_no > ? AND j.finished_at IS NOT NULL ORDER BY j.job_no LIMIT ?`
      return connection.all<EndedRow>(text, after, limit).map(endedOf)
    },

    async recordCount(jobId) {
      const text = 'SELECT count(*) AS count FROM records WHERE job_no = ?'
      return count(text, findJobNumber(connection, jobId))
    },

    async forgetRecords(jobId, limit) {
      const jobNo = findJobNumber(connection, jobId)
      return connection.write(() => {
        connection.run('DELETE FROM answers WHERE job_no = ?', jobNo)
        const text = 'DELETE FROM records WHERE seq IN (SELECT seq FROM records WHERE job_no = ? LIMIT ?)'
        return connection.run(text, jobNo, limit)
      })
    },

    oldWebhooks: async (before, jobId) =>
      count(`SELECT count(*) AS count FROM (${forgettable})`, before, -1, jobId ?? null),

    oldAnswers: async before => count('SELECT count(*) AS count FROM answers WHERE checked_at < ?', before),
  }
}

const endedOf = (row: EndedRow): EndedJob => ({
  id: row.id,
  finishedAt: row.finished_at,
  scheduleId: row.schedule_id,
  retention: row.retention === null ? null : (JSON.parse(row.retention) as JobRetention),
  place: row.job_no,
})
