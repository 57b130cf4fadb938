// The backlog as the store knows it: from the counters of jobs that run, so that ten million tasks are as quick as ten.
import type { JobSpec } from '../../model/job.ts'
import { renderModeOf } from '../../model/render-mode.ts'
import type { Backlog, BacklogFigures } from '../../ports/backlog.ts'
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
      return jobs.map(figuresOf).reduce(plus, nothing)
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const nothing: BacklogFigures = { http: 0, browser: 0, process: 0, ingest: 0 }

function figuresOf({ spec, ingest, open, running, rendered }: OpenJobRow): BacklogFigures {
  const browser = renderModeOf(JSON.parse(spec) as JobSpec) === 'always' ? open : rendered
  const isRead = (JSON.parse(ingest) as { done: boolean }).done
  return { http: open - browser, browser, process: running, ingest: isRead ? 0 : 1 }
}

const plus = (a: BacklogFigures, b: BacklogFigures): BacklogFigures => ({
  http: a.http + b.http,
  browser: a.browser + b.browser,
  process: a.process + b.process,
  ingest: a.ingest + b.ingest,
})
