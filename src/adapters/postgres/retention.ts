// Finds and deletes expired rows.
import type { JobRetention } from '../../model/policy/retention.ts'
import type { EndedJob, RetentionStore } from '../../ports/retention.ts'
import type { Database } from './database.ts'
import { forgettable } from './outbox.ts'

interface EndedRow {
  job_no: number
  id: string
  finished_at: number
  schedule_id: string | null
  retention: JobRetention | null
}

/** A subquery for one job by its id. */
const numbered = '(SELECT job_no FROM jobs WHERE id = $1)'

export function retentionStore(database: Database): RetentionStore {
  const count = async (text: string, ...values: unknown[]): Promise<number> =>
    (await database.one<{ count: number }>(text, ...values))!.count
  return {
    async ended({ after, limit }) {
      const text = `SELECT job_no, id, finished_at, schedule_id, spec::jsonb -> 'retention' AS retention FROM jobs
        WHERE job_no > $1 AND finished_at IS NOT NULL ORDER BY job_no LIMIT $2`
      return (await database.all<EndedRow>(text, after, limit)).map(endedOf)
    },

    recordCount: jobId => count(`SELECT count(*) AS count FROM records WHERE job_no = ${numbered}`, jobId),

    forgetRecords: (jobId, limit) =>
      database.transaction(async queries => {
        await queries.run(`DELETE FROM answers WHERE job_no = ${numbered}`, jobId)
        const text = `DELETE FROM records WHERE seq = ANY(ARRAY(SELECT seq FROM records WHERE job_no = ${numbered} LIMIT $2))`
        return queries.run(text, jobId, limit)
      }),

    oldWebhooks: (before, jobId) =>
      count(`SELECT count(*) AS count FROM (${forgettable}) old`, before, null, jobId ?? null),

    oldAnswers: before => count('SELECT count(*) AS count FROM answers WHERE checked_at < $1', before),
  }
}

const endedOf = (row: EndedRow): EndedJob => ({
  id: row.id,
  finishedAt: row.finished_at,
  scheduleId: row.schedule_id,
  retention: row.retention,
  place: row.job_no,
})
