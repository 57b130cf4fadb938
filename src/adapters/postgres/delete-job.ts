// Deleting a job: gone for everyone at once, its rows removed in chunks.
import type { JobStore } from '../../ports/store.ts'
import type { Database, Queries } from './database.ts'

const chunkSize = 10_000

const tablesOfJob = [
  'tasks',
  'seen',
  'attempts',
  'records',
  'answers',
  'reextractions',
  'rejected',
  'outputs',
  'failed_tasks',
  'idempotency_keys',
  'conduct_notes',
  'host_paces',
  'job_steps',
  'job_hours',
  'job_counts',
] as const

export function jobDeleter(database: Database): JobStore['delete'] {
  return async jobId => {
    await database.transaction(queries => hide(queries, jobId))
    // Also deletes leftovers of killed processes.
    for (const { job_no } of await database.all<{ job_no: number }>('SELECT job_no FROM deleted_jobs'))
      await purge(database, job_no)
  }
}

async function hide(queries: Queries, jobId: string): Promise<void> {
  // Another process may delete it at the same moment.
  const enter =
    'INSERT INTO deleted_jobs (job_no) SELECT job_no FROM jobs WHERE id = $1 ON CONFLICT DO NOTHING'
  await queries.run(enter, jobId)
  await queries.run('DELETE FROM requests WHERE job_id = $1', jobId)
  await queries.run('DELETE FROM dead_letters WHERE job_id = $1', jobId)
  await deleteWebhooks(queries, jobId)
  await queries.run('DELETE FROM jobs WHERE id = $1', jobId)
}

/** Deletes delivered webhooks of the job; pending ones are still delivered. */
async function deleteWebhooks(queries: Queries, jobId: string): Promise<void> {
  const done = `job_id = $1 AND state <> 'pending'`
  const attempts = `DELETE FROM webhook_attempts WHERE webhook_no IN (SELECT no FROM webhooks WHERE ${done})`
  await queries.run(attempts, jobId)
  await queries.run(`DELETE FROM webhooks WHERE ${done}`, jobId)
}

async function purge(database: Database, jobNo: number): Promise<void> {
  for (const table of tablesOfJob) {
    const text = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE job_no = $1 LIMIT ${chunkSize}))`
    while ((await database.run(text, jobNo)) === chunkSize);
  }
  await database.run('DELETE FROM deleted_jobs WHERE job_no = $1', jobNo)
}
