// Rows that are stored with a job: owner, idempotency key, tick, consents.
import { defaultWorkspace } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import type { NewJob } from '../../ports/store.ts'
import { enterNotes } from './conduct.ts'
import type { Queries } from './database.ts'
import { enterTick } from './schedules.ts'

const workspaceOf = (job: NewJob): string => job.origin?.workspace ?? defaultWorkspace

/** workspace, face, key_id, schedule_id, labels, traceparent */
export function originValues(job: NewJob): unknown[] {
  const { face = 'cli', keyId = null, scheduleId = null, traceparent = null } = job.origin ?? {}
  const labels = Object.keys(job.spec.labels).length > 0 ? JSON.stringify(job.spec.labels) : null
  return [workspaceOf(job), face, keyId, scheduleId, labels, traceparent]
}

export async function askedBefore(queries: Queries, workspace: string, key: string) {
  const found = await queries.one<{ jobId: string; fingerprint: string }>(
    `SELECT j.id AS "jobId", k.fingerprint FROM idempotency_keys k JOIN jobs j ON j.job_no = k.job_no
     WHERE k.workspace = $1 AND k.key = $2`,
    workspace,
    key,
  )
  return found ?? null
}

export async function refuseRepeated(queries: Queries, job: NewJob): Promise<void> {
  if (!job.idempotency) return
  const { key } = job.idempotency
  const known = await askedBefore(queries, workspaceOf(job), key)
  if (known)
    throw new Failure('request.repeated', `the idempotency key "${key}" stands for job ${known.jobId}`, known)
}

/** Inside the transaction that creates the job. */
export async function enterBeside(queries: Queries, jobNo: number, job: NewJob): Promise<void> {
  if (job.idempotency) await enterKey(queries, jobNo, job, job.idempotency)
  if (job.notes) await enterNotes(queries, jobNo, job.notes)
  if (job.tick) await enterRun(queries, job, job.tick)
}

/** Waits for a concurrent row: the second of two requests with one key sees the first one's job. */
async function enterKey(
  queries: Queries,
  jobNo: number,
  job: NewJob,
  { key, fingerprint }: NonNullable<NewJob['idempotency']>,
): Promise<void> {
  const enter = `INSERT INTO idempotency_keys (workspace, key, fingerprint, job_no) VALUES ($1, $2, $3, $4)
    ON CONFLICT (workspace, key)`
  const values = [workspaceOf(job), key, fingerprint, jobNo]
  if ((await queries.run(`${enter} DO NOTHING`, ...values)) === 1) return
  await refuseRepeated(queries, job)
  // The key of a deleted job may be reused.
  await queries.run(`${enter} DO UPDATE SET fingerprint = $3, job_no = $4`, ...values)
}

async function enterRun(queries: Queries, job: NewJob, tick: NonNullable<NewJob['tick']>): Promise<void> {
  const scheduleId = job.origin?.scheduleId ?? ''
  const { next, catchUp } = tick
  const run = {
    ...{ scheduleId, tick: tick.tick, at: job.createdAt, outcome: 'started' as const },
    ...{ jobId: job.id, reason: null, catchUp },
  }
  if (await enterTick(queries, run, next)) return
  throw new Failure('schedule.ticked', `schedule ${scheduleId} has had its run for that tick`, {
    scheduleId,
    tick: tick.tick,
  })
}
