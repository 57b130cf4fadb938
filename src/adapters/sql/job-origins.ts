// Data that is stored with a new job: owner, idempotency key, tick of a schedule, consents.
import { defaultWorkspace } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import { withoutOwnLabels } from '../../model/own-labels.ts'
import type { NewJob } from '../../ports/store.ts'
import { enterNotes } from './conduct.ts'
import { enterTick } from './schedules.ts'
import { one, run, type Steps } from './sql.ts'

const workspaceOf = (job: NewJob): string => job.origin?.workspace ?? defaultWorkspace

/** Values in the order workspace, face, key_id, schedule_id, labels, traceparent. Callers search the column `labels`, so it has
 *  no labels of kscrape. The spec has all labels. */
export function originValues(job: NewJob): [string, string, ...Array<string | null>] {
  const { face = 'cli', keyId = null, scheduleId = null, traceparent = null } = job.origin ?? {}
  const labels = withoutOwnLabels(job.spec.labels)
  const text = Object.keys(labels).length > 0 ? JSON.stringify(labels) : null
  return [workspaceOf(job), face, keyId, scheduleId, text, traceparent]
}

/** The job in workspace $1 that was created with idempotency key $2. */
export const repeatedText = `SELECT j.id AS "jobId", k.fingerprint FROM idempotency_keys k JOIN jobs j ON j.job_no = k.job_no
  WHERE k.workspace = $1 AND k.key = $2`

export function* refuseRepeated(job: NewJob): Steps<void> {
  if (!job.idempotency) return
  const { key } = job.idempotency
  const known = yield* one<{ jobId: string; fingerprint: string }>(repeatedText, workspaceOf(job), key)
  if (known)
    throw new Failure(
      'request.repeated',
      `the idempotency key "${key}" was used for job ${known.jobId}`,
      known,
    )
}

/** Writes the additional rows of a job, in the transaction that creates it. */
export function* enterBeside(jobNo: number, job: NewJob): Steps<void> {
  if (job.idempotency) yield* enterKey(jobNo, job, job.idempotency)
  if (job.notes) yield* enterNotes(jobNo, job.notes)
  if (job.tick) yield* enterRun(job, job.tick)
}

/** If a concurrent request has the same key, PostgreSQL waits for its transaction. So the second of two requests sees the job of
 *  the first. */
function* enterKey(
  jobNo: number,
  job: NewJob,
  { key, fingerprint }: NonNullable<NewJob['idempotency']>,
): Steps<void> {
  const enter = `INSERT INTO idempotency_keys (workspace, key, fingerprint, job_no) VALUES ($1, $2, $3, $4)
    ON CONFLICT (workspace, key)`
  const values = [workspaceOf(job), key, fingerprint, jobNo]
  if ((yield* run(`${enter} DO NOTHING`, ...values)) === 1) return
  yield* refuseRepeated(job)
  // If the key belongs to a deleted job, it may be used again.
  yield* run(`${enter} DO UPDATE SET fingerprint = excluded.fingerprint, job_no = excluded.job_no`, ...values)
}

function* enterRun(job: NewJob, tick: NonNullable<NewJob['tick']>): Steps<void> {
  const scheduleId = job.origin?.scheduleId ?? ''
  const { next, catchUp } = tick
  const run = {
    ...{ scheduleId, tick: tick.tick, at: job.createdAt, outcome: 'started' as const },
    ...{ jobId: job.id, reason: null, catchUp },
  }
  if (yield* enterTick(run, next)) return
  throw new Failure('schedule.ticked', `schedule ${scheduleId} already has a run for that tick`, {
    scheduleId,
    tick: tick.tick,
  })
}
