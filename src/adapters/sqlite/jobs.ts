// The SQLite part of the job store: creating jobs, and SQL that differs from PostgreSQL. Specs have their own table, so that a
// state change does not rewrite them.
import type { JobStore, NewJob } from '../../ports/store.ts'
import { enterBeside, originValues, refuseRepeated } from '../sql/job-origins.ts'
import { type JobForms, saveProgress, storedJobs } from '../sql/jobs.ts'
import type { Sql } from '../sql/sql.ts'
import { jobExists } from '../store-failures.ts'
import type { AddTasks } from './add-tasks.ts'
import type { Connection } from './connection.ts'
import { drive } from './dialect.ts'
import { GatheredWrites } from './gathered-writes.ts'
import { JobChanges } from './job-changes.ts'
import type { Parts } from './parts.ts'

const forms: Omit<JobForms, 'now'> = {
  tables: 'jobs j JOIN job_specs s ON s.job_no = j.job_no',
  // The id, the labels, and the first URL of each kind of source as a JSON list.
  searched: `lower(j.id || ' ' || coalesce(j.labels, '') || ' ' ||
    coalesce(json_extract(s.spec, '$.seedUrls[0]', '$.urls[0]', '$.sitemapUrl'), ''))`,
  hasLabels: place => `NOT EXISTS (SELECT 1 FROM json_each(${place}) asked WHERE NOT EXISTS (
    SELECT 1 FROM json_each(j.labels) l WHERE l.key = asked.key AND l.value = asked.value))`,
  revise: 'UPDATE job_specs SET spec = $1 WHERE job_no = $2',
  ownTables: { leases: 'n', job_specs: 'rowid' },
}

export function jobStore({ connection, clock }: Parts, sql: Sql, addTasks: AddTasks): JobStore {
  return {
    ...storedJobs(sql, { ...forms, now: () => clock.now() }),
    create: jobCreator(connection, addTasks),
  }
}

function jobCreator(connection: Connection, addTasks: AddTasks): JobStore['create'] {
  function insert(job: NewJob): number {
    const { lastInsertRowid } = connection
      .prepare(
        `INSERT INTO jobs (id, kind, state, ingest, created_at, workspace, face, key_id, schedule_id, labels, traceparent)
         VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(job.id, job.kind, JSON.stringify(job.ingest), job.createdAt, ...originValues(job))
    const jobNo = Number(lastInsertRowid)
    connection.run('INSERT INTO job_specs (job_no, spec) VALUES (?, ?)', jobNo, JSON.stringify(job.spec))
    return jobNo
  }

  const writes = new GatheredWrites(connection)
  return (job, tasks) =>
    writes.add(() => {
      const changes = new JobChanges(connection)
      drive(connection, refuseRepeated(job))
      if (connection.one('SELECT 1 FROM jobs WHERE id = ?', job.id)) throw jobExists(job.id)
      const jobNo = insert(job)
      drive(connection, enterBeside(jobNo, job))
      const result = addTasks(jobNo, tasks, changes)
      if (result.duplicates > 0) drive(connection, saveProgress(jobNo, job.ingest, result))
      changes.write()
      return result
    })
}
