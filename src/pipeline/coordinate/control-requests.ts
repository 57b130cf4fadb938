// Requests that other processes left in the store: pause, resume, cancel, retry.
import { asFailure } from '../../model/failures.ts'
import type { RequestKind } from '../../ports/store.ts'
import type { Desk } from './desk.ts'
import { cancelJob, pauseJob, resumeJob } from './job-control.ts'
import { acceptWork } from './learn-outcomes.ts'
import type { RunningJob } from './running-job.ts'
import { steerIdleJob } from './steer-idle-job.ts'

export async function applyControlRequests(desk: Desk): Promise<void> {
  for (const { jobId, kind } of await desk.store.requests.take()) {
    if (desk.jobs.has(jobId)) await applyControlRequest(desk, jobId, kind)
    else if (desk.steerIdle) await desk.steerIdle(jobId, kind).catch(error => complain(desk, jobId, error))
    else await steerIdleJob(desk, jobId, kind, desk.clock.now(), desk.settings)
  }
}

/** Of a job in hand; one that is being cancelled is beyond steering. */
export async function applyControlRequest(desk: Desk, jobId: string, kind: RequestKind): Promise<void> {
  const running = desk.jobs.get(jobId)
  if (!running || running.cancelled) return
  if (comesTooLate(running, kind)) desk.emit('notice.given', { jobId, message: tooLate(jobId, kind) })
  else await obey[kind](desk, running)
}

const tooLate = (jobId: string, kind: RequestKind): string =>
  `${kind} was not done: the last files of job ${jobId} were being written; retry it when it has ended`

/** While the last files of a job are written, its end is decided: nothing can be paused, and nothing may begin anew. */
export const comesTooLate = ({ ending }: RunningJob, kind: RequestKind): boolean =>
  ending !== null && kind !== 'cancel'

const complain = (desk: Desk, jobId: string, error: unknown): void =>
  desk.emit('notice.given', { jobId, message: asFailure(error).message })

const obey: Record<RequestKind, (desk: Desk, running: RunningJob) => Promise<void>> = {
  pause: (desk, running) => pauseJob(desk, running, 'user', null),
  resume: resumeJob,
  cancel: cancelJob,
  retry: retryJob,
}

export async function retryJob(desk: Desk, running: RunningJob): Promise<void> {
  const reopened = await desk.store.tasks.reopen(running.id, ['failed'])
  await acceptWork(
    desk,
    reopened.map(({ host, count }) => ({ jobId: running.id, host, count })),
  )
  await resumeJob(desk, running)
}
