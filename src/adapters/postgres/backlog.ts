// The backlog, computed from counters of running jobs, so that it is fast for any number of tasks.
import type { JobSpec } from '../../model/job.ts'
import { renderModeOf } from '../../model/policy/render-mode.ts'
import type { Backlog, BacklogCounts, StoredTasks } from '../../ports/backlog.ts'
import { Database } from './database.ts'

interface OpenJobRow {
  spec: string
  ingest: string
  open: number
  running: number
  rendered: number
}

export async function openPostgresBacklog(url: string): Promise<Backlog> {
  const database = await Database.open({ url, connections: 1 })
  return {
    async read() {
      const jobs = await database.all<OpenJobRow>(
        `SELECT j.spec, j.ingest,
           coalesce((SELECT sum(value) FROM job_counts c WHERE c.job_no = j.job_no
             AND bucket IN ('state:pending', 'state:queued', 'state:in_progress')), 0)::bigint AS open,
           coalesce((SELECT sum(value) FROM job_counts c WHERE c.job_no = j.job_no
             AND bucket IN ('state:queued', 'state:in_progress')), 0)::bigint AS running,
           (SELECT count(*) FROM tasks t WHERE t.job_no = j.job_no AND t.way = 'browser'
             AND t.state IN ('pending', 'queued', 'in_progress')) AS rendered
         FROM jobs j WHERE j.state IN ('pending', 'running', 'finishing')`,
      )
      return jobs.map(backlogCountsOf).reduce(plus, nothing)
    },
    soon: until => database.all<StoredTasks & Record<string, unknown>>(soonSql, until),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** Each half of the query uses its own index: `tasks_waiting` and `tasks_rendered`. */
const soonSql = `
  SELECT j.id AS "jobId", s.host, sum(s.later)::bigint AS later, sum(s.rendered)::bigint AS rendered
  FROM (
    SELECT job_no, host, count(*) AS later, count(*) FILTER (WHERE way = 'browser') AS rendered
    FROM tasks WHERE state = 'pending' AND not_before > 0 AND not_before <= $1 GROUP BY job_no, host
    UNION ALL
    SELECT job_no, host, 0, count(*)
    FROM tasks WHERE way = 'browser' AND state IN ('pending', 'queued', 'in_progress')
      AND state = 'pending' AND not_before = 0 GROUP BY job_no, host
  ) s JOIN jobs j ON j.job_no = s.job_no AND j.state IN ('pending', 'running')
  GROUP BY j.id, s.host`

const nothing: BacklogCounts = { http: 0, browser: 0, process: 0, ingest: 0 }

function backlogCountsOf({ spec, ingest, open, running, rendered }: OpenJobRow): BacklogCounts {
  const browser = renderModeOf(JSON.parse(spec) as JobSpec) === 'always' ? open : rendered
  const isRead = (JSON.parse(ingest) as { done: boolean }).done
  return { http: open - browser, browser, process: running, ingest: isRead ? 0 : 1 }
}

const plus = (a: BacklogCounts, b: BacklogCounts): BacklogCounts => ({
  http: a.http + b.http,
  browser: a.browser + b.browser,
  process: a.process + b.process,
  ingest: a.ingest + b.ingest,
})
