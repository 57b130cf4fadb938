// Counts of ended attempts over time.
import type {
  ActivityStore,
  HostFailures,
  HourCount,
  JobActivity,
  JobsActivity,
  StepCount,
} from '../../ports/activity.ts'
import { isOrAny, numberAt, type Sql } from './sql.ts'

const ofJob = `job_no = ${numberAt('$1')}`

/** PostgreSQL returns sums as decimals, so they are cast. */
const sum = (column: string): string => `CAST(sum(${column}) AS bigint)`

export function activityStore(sql: Sql): ActivityStore {
  /** The counts of each job whose count in the column `by` is not zero. */
  const jobsText = (by: string, hasOutcomes: boolean): string =>
    `SELECT h.job_no, ${sum('h.attempts')} AS attempts, ${sum('h.pages')} AS pages, ${sum('h.records')} AS records
     FROM job_hours h JOIN jobs j ON j.job_no = h.job_no
     WHERE h.at >= $1 AND ${isOrAny('j.workspace', '$2')} AND ${isOrAny('h.host', '$3')}
       ${hasOutcomes ? `AND ${sql.among('h.outcome', '$4')}` : ''}
     GROUP BY 1 HAVING sum(h.${by}) > 0`
  return {
    async span(jobId) {
      const row = await sql.one<{ first: number | null; last: number | null }>(
        `SELECT min(at) AS first, max(at) AS last FROM job_steps WHERE ${ofJob}`,
        jobId,
      )
      return row?.first == null ? null : { first: row.first, last: row.last! }
    },

    steps: (jobId, { first, stepMs }) =>
      sql.all<StepCount>(
        // SQLite binds numbers as floating point, so they are cast for an integer division.
        `SELECT CAST($2 AS bigint) + (at - CAST($2 AS bigint)) / CAST($3 AS bigint) * CAST($3 AS bigint) AS at, outcome,
           ${sum('attempts')} AS attempts
         FROM job_steps WHERE ${ofJob} GROUP BY 1, 2 ORDER BY 1, 2`,
        jobId,
        first,
        stepMs,
      ),

    hours: ({ workspace, from }) =>
      sql.all<HourCount>(
        `SELECT h.at, h.outcome, ${sum('h.attempts')} AS attempts, ${sum('h.pages')} AS pages, ${sum('h.records')} AS records
         FROM job_hours h JOIN jobs j ON j.job_no = h.job_no
         WHERE h.at >= $1 AND ${isOrAny('j.workspace', '$2')} GROUP BY 1, 2 ORDER BY 1, 2`,
        from,
        workspace ?? null,
      ),

    failures: ({ workspace, from, limit }) =>
      sql.all<HostFailures>(
        `SELECT f.host, f.outcome, f.attempts, (SELECT id FROM jobs WHERE job_no = f.job_no) AS "jobId" FROM (
           SELECT h.host, h.outcome, ${sum('h.attempts')} AS attempts, max(h.job_no) AS job_no
           FROM job_hours h JOIN jobs j ON j.job_no = h.job_no
           WHERE h.at >= $1 AND ${isOrAny('j.workspace', '$2')} AND h.host <> ''
           GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT $3
         ) f ORDER BY f.attempts DESC, f.host, f.outcome`,
        from,
        workspace ?? null,
        limit,
      ),

    async jobs({ workspace, from, by, limit, host, outcomes }) {
      const each = jobsText(by, outcomes !== undefined)
      const values = [from, workspace ?? null, host ?? null, ...(outcomes ? [outcomes] : [])]
      const sums = await sql.one<Omit<JobsActivity, 'jobs'>>(
        `SELECT count(*) AS "jobCount", ${['attempts', 'pages', 'records']
          .map(name => `CAST(coalesce(sum(${name}), 0) AS bigint) AS ${name}`)
          .join(', ')} FROM (${each}) e`,
        ...values,
      )
      const jobs = await sql.all<JobActivity>(
        `SELECT (SELECT id FROM jobs WHERE job_no = e.job_no) AS "jobId", e.attempts, e.pages, e.records
         FROM (${each}) e ORDER BY e.${by} DESC, e.job_no DESC LIMIT $${values.length + 1}`,
        ...values,
        limit,
      )
      return { ...sums!, jobs }
    },
  }
}
