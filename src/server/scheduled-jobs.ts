// Jobs of schedules. A job is validated when its schedule is created, and submitted at every run with the key that created the
// schedule.
import { checkInParts } from '../lib/check-in-parts.ts'
import { wallClock } from '../lib/clocks.ts'
import { problemsOf } from '../lib/text/problems.ts'
import { type Caller, mayDo } from '../model/access.ts'
import { jobBody } from '../model/api/jobs.ts'
import { Failure } from '../model/failures.ts'
import type { GivenSpec, Job } from '../model/job.ts'
import { camel, mapKeys, snake } from '../model/letter-case.ts'
import type { Schedule } from '../model/schedule.ts'
import type { ScheduleParts } from '../pipeline/submit/run-schedules.ts'
import { openHeaders } from '../pipeline/submit/sealed-headers.ts'
import { uploadSource } from '../pipeline/submit/uploads.ts'
import type { NewJob } from '../ports/store.ts'
import { placeOutputs } from './api/jobs/create.ts'
import { operator } from './auth.ts'
import { consentNotes } from './consent.ts'
import type { Server } from './parts.ts'
import { submitFor } from './submit.ts'
import { uploadParts } from './uploads.ts'

/** Validates a `POST /jobs` body in either letter case. Errors name the path within the schedule. */
export function jobOfSchedule(given: Record<string, unknown>): ReturnType<typeof jobBody.parse> {
  const parsed = checkInParts(jobBody, mapKeys(given, camel))
  if (!parsed.success) {
    const problems = problemsOf(parsed.error, { known: Object.keys(jobBody.shape), spell: snake })
    const lines = problems.map(({ path, message }) => `${inJob(path)}: ${message}`)
    throw new Failure('input.invalid', `the schedule can't be accepted: ${lines.join('; ')}`, {
      path: inJob(problems[0]?.path ?? ''),
    })
  }
  if (parsed.data.jobId === undefined) return parsed.data
  throw new Failure('input.invalid', 'job.job_id: every run gets its own id; leave it out', {
    path: 'job.job_id',
  })
}

const inJob = (path: string): string => (path === '' || path === '(whole)' ? 'job' : `job.${path}`)

/** Throws if a run would fail now, so that the caller learns it before the first run. */
export async function checkJob(
  server: Server,
  caller: Caller,
  given: Record<string, unknown>,
): Promise<void> {
  const body = jobOfSchedule(given)
  try {
    consentNotes(server, caller, body)
    const source = await uploadSource(uploadParts(server), caller.workspace, body.uploadId)
    await server.parts.engine.check(body, {
      origin: { face: 'schedule' },
      mayExceed: mayDo(caller.scopes, 'admin'),
      ...(source !== undefined && { source }),
    })
  } catch (error) {
    throw error instanceof Failure ? placed(error) : error
  }
}

export function placed({ code, message, details }: Failure): Failure {
  const path = typeof details.path === 'string' ? inJob(details.path) : 'job'
  return new Failure(code, message.startsWith(String(details.path)) ? `job.${message}` : `job: ${message}`, {
    ...details,
    path,
  })
}

/** Dependencies of the schedule loop, with the engine of this process. */
export const scheduleParts = (server: Server): ScheduleParts => ({
  store: server.parts.store,
  clock: wallClock,
  random: Math.random,
  start: (schedule, tick) => startRun(server, schedule, tick),
  cancel: jobId => server.parts.engine.steer(jobId, 'cancel'),
  tell: ({ scheduleId, jobId, outcome, reason }) =>
    server.parts.log.info({ schedule_id: scheduleId, job_id: jobId, outcome, reason }, 'a schedule was due'),
  trouble: (scheduleId, error) =>
    server.parts.log.error({ schedule_id: scheduleId, err: error }, 'a schedule could not be run'),
})

async function startRun(server: Server, schedule: Schedule, tick: NonNullable<NewJob['tick']>): Promise<Job> {
  const caller = await callerOf(server, schedule)
  const spec: GivenSpec = placeOutputs(
    server,
    jobOfSchedule(openHeaders(server.parts.sealer, schedule.id, schedule.job)),
  )
  const source = await uploadSource(uploadParts(server), schedule.workspace, spec.uploadId)
  const { job } = await submitFor(server, caller, spec, {
    ...{ face: 'schedule', scheduleId: schedule.id, tick },
    ...(source !== undefined && { source }),
  })
  return job
}

/** The caller of a run. It has the current rights of the key that created the schedule. */
async function callerOf({ parts }: Server, { id, keyId, workspace }: Schedule): Promise<Caller> {
  // The operator created the schedule, with the operator's key or on this machine.
  if (keyId === null || keyId === operator.keyId) return { ...operator, workspace }
  const key = await parts.store.keys.get(keyId)
  if (key && key.revokedAt === null && mayDo(key.scopes, 'submit'))
    return { keyId, workspace, scopes: key.scopes, limits: key.limits, workspaces: [] }
  throw new Failure(
    'request.forbidden',
    `schedule ${id} uses key ${keyId}, which was revoked; PATCH its job with another key`,
    { scheduleId: id, keyId },
  )
}
