// Deletes a job: it is invisible at once, and its rows are deleted in chunks.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { JobStore } from '../../ports/store.ts'
import { run, type Sql, type Steps } from './sql.ts'

const chunkSize = 10_000

/** Tables with a column `job_no`. Each value names the other columns of the table's unique key. */
const tablesOfJob: Readonly<Record<string, string>> = {
  tasks: 'n',
  seen: 'space, key',
  attempts: 'n, attempt',
  records: 'n, idx',
  answers: 'key',
  reextractions: 'maker',
  rejected: 'row',
  outputs: 'path',
  failed_tasks: 'n',
  idempotency_keys: 'workspace, key',
  conduct_notes: 'no',
  host_paces: 'host',
  job_steps: 'at, outcome',
  job_hours: 'at, host, outcome',
  job_counts: 'bucket',
}

/** `own`: tables that only this store has. */
export function jobDeleter(sql: Sql, own: Readonly<Record<string, string>> = {}): JobStore['delete'] {
  const tables = Object.entries({ ...own, ...tablesOfJob })
  return async jobId => {
    await sql.transaction(() => hide(jobId))
    // Also deletes the rows of jobs whose deletion was interrupted by a kill.
    for (const { job_no } of await sql.all<{ job_no: number }>('SELECT job_no FROM deleted_jobs'))
      await purge(sql, tables, job_no)
  }
}

function* hide(jobId: string): Steps<void> {
  // Ignores a conflict, because another process may delete the job at the same moment.
  const enter =
    'INSERT INTO deleted_jobs (job_no) SELECT job_no FROM jobs WHERE id = $1 ON CONFLICT DO NOTHING'
  yield* run(enter, jobId)
  yield* run('DELETE FROM requests WHERE job_id = $1', jobId)
  yield* run('DELETE FROM dead_letters WHERE job_id = $1', jobId)
  yield* deleteDelivered(jobId)
  yield* run('DELETE FROM jobs WHERE id = $1', jobId)
}

/** Deletes webhooks of the job that are delivered or dead. Pending webhooks are still delivered. */
function* deleteDelivered(jobId: string): Steps<void> {
  const done = `job_id = $1 AND state <> 'pending'`
  yield* run(
    `DELETE FROM webhook_attempts WHERE webhook_no IN (SELECT no FROM webhooks WHERE ${done})`,
    jobId,
  )
  yield* run(`DELETE FROM webhooks WHERE ${done}`, jobId)
}

async function purge(
  sql: Sql,
  tables: ReadonlyArray<readonly [string, string]>,
  jobNo: number,
): Promise<void> {
  for (const [table, keys] of tables) {
    const text = sql.deleteOfJob(table, keys)
    while ((await sql.run(text, jobNo, chunkSize)) === chunkSize) await letOthersRun()
  }
  await sql.run('DELETE FROM deleted_jobs WHERE job_no = $1', jobNo)
}
