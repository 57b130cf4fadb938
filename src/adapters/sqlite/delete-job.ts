// Deleting a job: gone for everyone at once, its rows removed in chunks.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { JobStore } from '../../ports/store.ts'
import type { Connection } from './connection.ts'

const chunkSize = 10_000

/** Tables with rows of a job, and their keys. */
const tablesOfJob: Readonly<Record<string, string>> = {
  leases: 'n',
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

export function jobDeleter(connection: Connection): JobStore['delete'] {
  return async jobId => {
    connection.write(() => hide(connection, jobId))
    // Also deletes leftovers of killed processes.
    for (const { job_no } of connection.all<{ job_no: number }>('SELECT job_no FROM deleted_jobs'))
      await purge(connection, job_no)
  }
}

function hide(connection: Connection, jobId: string): void {
  connection.run('INSERT INTO deleted_jobs (job_no) SELECT job_no FROM jobs WHERE id = ?', jobId)
  connection.run('DELETE FROM requests WHERE job_id = ?', jobId)
  connection.run('DELETE FROM dead_letters WHERE job_id = ?', jobId)
  deleteWebhooks(connection, jobId)
  connection.run('DELETE FROM job_specs WHERE job_no = (SELECT job_no FROM jobs WHERE id = ?)', jobId)
  connection.run('DELETE FROM jobs WHERE id = ?', jobId)
}

/** Deletes delivered webhooks of the job; pending ones are still delivered. */
function deleteWebhooks(connection: Connection, jobId: string): void {
  const done = `job_id = ? AND state <> 'pending'`
  const attempts = `DELETE FROM webhook_attempts WHERE webhook_no IN (SELECT no FROM webhooks WHERE ${done})`
  connection.run(attempts, jobId)
  connection.run(`DELETE FROM webhooks WHERE ${done}`, jobId)
}

async function purge(connection: Connection, jobNo: number): Promise<void> {
  for (const [table, columns] of Object.entries(tablesOfJob)) {
    const text = `DELETE FROM ${table} WHERE (job_no, ${columns}) IN (
      SELECT job_no, ${columns} FROM ${table} WHERE job_no = ? LIMIT ${chunkSize})`
    while (connection.write(() => connection.run(text, jobNo)) === chunkSize) await letOthersRun()
  }
  connection.write(() => connection.run('DELETE FROM deleted_jobs WHERE job_no = ?', jobNo))
}
