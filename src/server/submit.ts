// Submits a job for every API: checks the caller's limits, records consents, and applies idempotency keys.

import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Caller, mayDo } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import { chosenId } from '../model/ids.ts'
import type { Face, GivenSpec, Job } from '../model/job.ts'
import type { SubmitOptions } from '../pipeline/submit/submit-job.ts'
import type { Store } from '../ports/store.ts'
import { consentNotes } from './consent.ts'
import { stoppingFailure } from './job-watch.ts'
import type { Server } from './parts.ts'

export interface Submission extends Pick<SubmitOptions, 'source' | 'map' | 'tick'> {
  face: Face
  scheduleId?: string
  /** The idempotency key as the caller sent it; see `idempotencyKeyOf`. */
  idempotencyKey?: string | undefined
  /** The request body. A repeated request is recognized by it instead of by the spec. Set if the spec contains generated
   *  values, such as an id, that differ each time. */
  asked?: unknown
}

export interface Submitted {
  job: Job
  /** Whether the same request was sent before; then `job` is the job that it created. */
  isRepeated: boolean
}

export async function submitFor(
  server: Server,
  caller: Caller,
  spec: GivenSpec,
  { face, scheduleId, idempotencyKey, asked = spec, ...options }: Submission,
): Promise<Submitted> {
  const { engine, store } = server.parts
  const fingerprint = fingerprintOf(face, asked)
  // Check this before the limits. The job of the first request counts towards the limits, so they could refuse the
  // repeated request.
  const before = await jobAskedBefore(server, caller, { face, idempotencyKey, asked })
  if (before) return { job: before, isRepeated: true }
  refuseWhileStopping(server)
  await refuseBeyondLimits(server, caller)
  const notes = consentNotes(server, caller, spec, face)
  try {
    const job = await engine.submit(spec, {
      ...options,
      traceparent: caller.traceparent,
      origin: { workspace: caller.workspace, face, keyId: caller.keyId, scheduleId: scheduleId ?? null },
      notes,
      mayExceed: mayDo(caller.scopes, 'admin'),
      ...(idempotencyKey !== undefined && { idempotency: { key: idempotencyKey, fingerprint } }),
    })
    server.parts.accepted(job, caller)
    return { job, isRepeated: false }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'job.exists') throw await idTaken(server, caller, String(spec.jobId))
    if (error.code !== 'request.repeated') throw error
    const job = await jobOf(store, error.details as unknown as AskedBefore, fingerprint)
    return { job, isRepeated: true }
  }
}

/** A stopping service would not start the job before its restart. Callers that wait for a page must get the error at once. */
function refuseWhileStopping(server: Server): void {
  if (server.parts.stopping.aborted) throw stoppingFailure(server)
}

/** The error for an id that is taken. If another workspace owns the job, the message does not propose to delete it. */
async function idTaken({ parts }: Server, { workspace }: Caller, jobId: string): Promise<Failure> {
  const taken = await parts.store.jobs.get(jobId)
  const wayOut = taken?.workspace === workspace ? ', or delete that job first' : ''
  return new Failure('job.exists', `job_id: "${chosenId(jobId)}" is taken; choose another id${wayOut}`, {
    path: 'job_id',
  })
}

/** The `Idempotency-Key` of a request, if it has one. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Failure('input.invalid', 'Idempotency-Key: at most 255 visible ASCII characters', {
    path: 'Idempotency-Key',
  })
}

const fingerprintOf = (face: Face, asked: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([face, asked]))
    .digest('hex')

/** The job that the same request created before; null if there is none. Call this before every check whose result can
 *  change. A repeated request must get its first response, even if the state of the queue, the upload or the host has
 *  changed. */
export async function jobAskedBefore(
  { parts: { store } }: Pick<Server, 'parts'>,
  { workspace }: Caller,
  { face, idempotencyKey, asked }: Pick<Submission, 'face' | 'idempotencyKey' | 'asked'>,
): Promise<Job | null> {
  if (idempotencyKey === undefined) return null
  const before = await store.jobs.askedBefore(workspace, idempotencyKey)
  return before && jobOf(store, before, fingerprintOf(face, asked))
}

type AskedBefore = NonNullable<Awaited<ReturnType<Store['jobs']['askedBefore']>>>

async function jobOf({ jobs }: Store, before: AskedBefore, fingerprint: string): Promise<Job> {
  if (before.fingerprint === fingerprint) return (await jobs.get(before.jobId)) as Job
  throw new Failure(
    'input.invalid',
    `Idempotency-Key: it was used for job ${before.jobId} with another body; use a new key`,
    { path: 'Idempotency-Key' },
  )
}

/** Refuses at once if the caller's open jobs or tasks exceed its limits. */
export async function refuseBeyondLimits({ parts }: Server, { keyId, limits }: Caller): Promise<void> {
  const { concurrentJobs, queueDepth } = limits
  if (concurrentJobs === undefined && queueDepth === undefined) return
  const load = await parts.store.jobs.load({ keyId })
  if (concurrentJobs !== undefined && load.jobs >= concurrentJobs)
    throw full('jobs', load.jobs, concurrentJobs)
  if (queueDepth !== undefined && load.tasks >= queueDepth) throw full('tasks', load.tasks, queueDepth)
}

const full = (what: string, open: number, most: number): Failure =>
  new Failure(
    'queue.full',
    `this key has reached its limit of open ${what}: ${open} open, ${most} allowed; wait until some have ended`,
    {
      retryAfterMs: 10_000,
    },
  )
