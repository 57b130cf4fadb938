// The PostgreSQL part of the job store: creating jobs, and SQL that differs from SQLite.
import type { AddResult, JobStore, NewJob } from '../../ports/store.ts'
import { enterBeside, originValues, refuseRepeated } from '../sql/job-origins.ts'
import { type JobForms, saveProgress, storedJobs } from '../sql/jobs.ts'
import type { Sql } from '../sql/sql.ts'
import { jobExists } from '../store-failures.ts'
import { addTasks } from './add-tasks.ts'
import type { Database, Queries } from './database.ts'
import { drive } from './dialect.ts'
import { writeJobs } from './job-changes.ts'

const forms: Omit<JobForms, 'now'> = {
  tables: 'jobs j',
  searched: `lower(concat_ws(' ', j.id, j.labels::text, j.spec::jsonb #>> '{seedUrls,0}', j.spec::jsonb #>> '{urls,0}',
    j.spec::jsonb ->> 'sitemapUrl'))`,
  hasLabels: place => `j.labels @> ${place}::jsonb`,
  revise: 'UPDATE jobs SET spec = $1 WHERE job_no = $2',
  ownTables: {},
}

export function jobStore(database: Database, sql: Sql, now: () => number): JobStore {
  return {
    ...storedJobs(sql, { ...forms, now }),
    create: (job, tasks) => createJob(database, job, tasks),
  }
}

function createJob(
  database: Database,
  job: NewJob,
  tasks: Parameters<JobStore['create']>[1],
): Promise<AddResult> {
  return writeJobs(database, async (queries, changes) => {
    await drive(queries, refuseRepeated(job))
    const row = await queries.one<{ job_no: number }>(
      `INSERT INTO jobs (id, kind, state, ingest, spec, created_at, workspace, face, key_id, schedule_id, labels,
         traceparent)
       VALUES ($1, $2, 'pending', $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING RETURNING job_no`,
      job.id,
      job.kind,
      JSON.stringify(job.ingest),
      JSON.stringify(job.spec),
      job.createdAt,
      ...originValues(job),
    )
    if (!row) throw await takenBy(queries, job)
    await drive(queries, enterBeside(row.job_no, job))
    const result = await addTasks(queries, { jobNo: row.job_no, nextN: 1 }, tasks, changes)
    if (result.duplicates > 0) await drive(queries, saveProgress(row.job_no, job.ingest, result))
    return result
  })
}

/** The error if the job's id or idempotency key exists. Of two equal requests at the same time, the second gets the
 *  idempotency error. */
async function takenBy(queries: Queries, job: NewJob): Promise<Error> {
  await drive(queries, refuseRepeated(job))
  return jobExists(job.id)
}
