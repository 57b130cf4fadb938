// Rows that are stored with a job: owner, idempotency key, tick, consents.
import { defaultWorkspace } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import type { NewJob } from '../../ports/store.ts'
import { enterNotes } from './conduct.ts'
import type { Connection } from './connection.ts'
import { enterTick } from './schedules.ts'

const workspaceOf = (job: NewJob): string => job.origin?.workspace ?? defaultWorkspace

/** workspace, face, key_id, schedule_id, labels, traceparent */
export function originValues(job: NewJob): [string, string, ...Array<string | null>] {
  const { face = 'cli', keyId = null, scheduleId = null, traceparent = null } = job.origin ?? {}
  const labels = Object.keys(job.spec.labels).length > 0 ? JSON.stringify(job.spec.labels) : null
  return [workspaceOf(job), face, keyId, scheduleId, labels, traceparent]
}

export function askedBefore(connection: Connection, workspace: string, key: string) {
  const found = connection.one<{ jobId: string; fingerprint: string }>(
    `SELECT j.id AS jobId, k.fingerprint FROM idempotency_keys k JOIN jobs j ON j.job_no = k.job_no
     WHERE k.workspace = ? AND k.key = ?`,
    workspace,
    key,
  )
  return found ? { ...found } : null
}

export function refuseRepeated(connection: Connection, job: NewJob): void {
  if (!job.idempotency) return
  const { key } = job.idempotency
  const known = askedBefore(connection, workspaceOf(job), key)
  if (known)
    throw new Failure('request.repeated', `the idempotency key "${key}" stands for job ${known.jobId}`, known)
}

/** Inside the write that creates the job. */
export function enterBeside(connection: Connection, jobNo: number, job: NewJob): void {
  if (job.idempotency)
    // The key of a deleted job may be reused.
    connection.run(
      'INSERT OR REPLACE INTO idempotency_keys (workspace, key, fingerprint, job_no) VALUES (?, ?, ?, ?)',
      workspaceOf(job),
      job.idempotency.key,
      job.idempotency.fingerprint,
      jobNo,
    )
  if (job.notes) enterNotes(connection, jobNo, job.notes)
  if (job.tick) enterRun(connection, job, job.tick)
}

function enterRun(connection: Connection, job: NewJob, tick: NonNullable<NewJob['tick']>): void {
  const scheduleId = job.origin?.scheduleId ?? ''
  const { next, catchUp } = tick
  const run = {
    ...{ scheduleId, tick: tick.tick, at: job.createdAt, outcome: 'started' as const },
    ...{ jobId: job.id, reason: null, catchUp },
  }
  if (enterTick(connection, run, next)) return
  throw new Failure('schedule.ticked', `schedule ${scheduleId} has had its run for that tick`, {
    scheduleId,
    tick: tick.tick,
  })
}
