// Finds and deletes expired rows.
import type { JobRetention } from '../../model/policy/retention.ts'
import type { EndedJob, RetentionStore } from '../../ports/retention.ts'
import { deleteWebhooks } from './outbox.ts'
import { all, isOrAny, numberAt, one, run, type Sql, type SqlValue } from './sql.ts'

interface EndedRow {
  job_no: number
  id: string
  finished_at: number
  schedule_id: string | null
  /** The retention settings as JSON; null if the job has none. */
  retention: string | null
}

/** `endedText` selects at most $2 ended jobs with a number above $1. The statement differs, because each store has the specs in
 *  another table. */
export function retentionStore(sql: Sql, endedText: string): RetentionStore {
  const count = async (text: string, ...values: SqlValue[]): Promise<number> =>
    (await sql.one<{ count: number }>(`SELECT count(*) AS count FROM ${text}`, ...values))!.count
  return {
    async ended({ after, limit }) {
      return (await sql.all<EndedRow>(endedText, after, limit)).map(endedOf)
    },

    async forgetRecords(jobId, { limit, dryRun }) {
      if (dryRun) return count(`records WHERE job_no = ${numberAt('$1')}`, jobId)
      return sql.transaction(function* () {
        const job = yield* one<{ job_no: number }>('SELECT job_no FROM jobs WHERE id = $1', jobId)
        if (!job) return 0
        yield* run('DELETE FROM answers WHERE job_no = $1', job.job_no)
        return yield* run(sql.deleteOfJob('records', 'n, idx'), job.job_no, limit)
      })
    },

    async forgetWebhooks(before, { limit, dryRun }, jobId) {
      if (dryRun) return count(`(${oldWebhooks}) old`, before, Number.MAX_SAFE_INTEGER, jobId ?? null)
      return sql.transaction(function* () {
        const old = yield* all<{ no: number }>(
          `${oldWebhooks} ${sql.skipLocked}`,
          before,
          limit,
          jobId ?? null,
        )
        const numbers = old.map(({ no }) => no)
        if (numbers.length > 0) yield* deleteWebhooks(sql, numbers)
        return numbers.length
      }, 'relaxed')
    },

    async forgetAnswers(before, { dryRun = false } = {}) {
      if (dryRun) return count('answers WHERE checked_at < $1', before)
      return sql.run('DELETE FROM answers WHERE checked_at < $1', before)
    },
  }
}

/** Parameters: $1 latest time, $2 limit, $3 job id or null. */
const oldWebhooks = `SELECT no FROM webhooks WHERE state <> 'pending' AND created_at < $1
  AND ${isOrAny('job_id', '$3')}
  AND NOT EXISTS (SELECT 1 FROM webhook_attempts a WHERE a.webhook_no = webhooks.no AND a.at >= $1)
  AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = webhooks.job_id AND coalesce(j.finished_at, $1) >= $1)
  ORDER BY no LIMIT $2`

const endedOf = (row: EndedRow): EndedJob => ({
  id: row.id,
  finishedAt: row.finished_at,
  scheduleId: row.schedule_id,
  retention: row.retention === null ? null : (JSON.parse(row.retention) as JobRetention),
  place: row.job_no,
})
