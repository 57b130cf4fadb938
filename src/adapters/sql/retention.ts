// Finds and deletes expired rows.
import type { JobRetention } from '../../model/policy/retention.ts'
import type { EndedJob, RetentionStore } from '../../ports/retention.ts'
import { forgettable } from './outbox.ts'
import { numberAt, one, run, type Sql, type SqlValue } from './sql.ts'

interface EndedRow {
  job_no: number
  id: string
  finished_at: number
  schedule_id: string | null
  /** JSON. */
  retention: string | null
}

/** `endedText` selects rows of ended jobs with a number above $1, at most $2. The stores keep specs in different places. */
export function retentionStore(sql: Sql, endedText: string): RetentionStore {
  const count = async (text: string, ...values: SqlValue[]): Promise<number> =>
    (await sql.one<{ count: number }>(`SELECT count(*) AS count FROM ${text}`, ...values))!.count
  return {
    async ended({ after, limit }) {
      return (await sql.all<EndedRow>(endedText, after, limit)).map(endedOf)
    },

    recordCount: jobId => count(`records WHERE job_no = ${numberAt('$1')}`, jobId),

    forgetRecords: (jobId, limit) =>
      sql.transaction(function* () {
        const job = yield* one<{ job_no: number }>('SELECT job_no FROM jobs WHERE id = $1', jobId)
        if (!job) return 0
        yield* run('DELETE FROM answers WHERE job_no = $1', job.job_no)
        return yield* run(sql.deleteOfJob('records', 'n, idx'), job.job_no, limit)
      }),

    oldWebhooks: (before, jobId) =>
      count(`(${forgettable}) old`, before, Number.MAX_SAFE_INTEGER, jobId ?? null),

    oldAnswers: before => count('answers WHERE checked_at < $1', before),
  }
}

const endedOf = (row: EndedRow): EndedJob => ({
  id: row.id,
  finishedAt: row.finished_at,
  scheduleId: row.schedule_id,
  retention: row.retention === null ? null : (JSON.parse(row.retention) as JobRetention),
  place: row.job_no,
})
