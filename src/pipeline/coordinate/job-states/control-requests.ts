// Control requests that other processes stored for this coordinator: pause, resume, cancel, retry.
import { asFailure } from '../../../model/failures.ts'
import type { RequestKind } from '../../../ports/store.ts'
import type { CoordinatorContext } from '../context.ts'
import type { RunningJob } from '../running-job.ts'
import { acceptWork, type NewWorkContext } from '../settle/learn-outcomes.ts'
import { controlIdleJob } from './control-idle-job.ts'
import { type ControlContext, cancelJob, pauseJob, resumeJob } from './job-control.ts'

/** Dependencies for handling control requests. */
type RequestContext = ControlContext &
  NewWorkContext &
  Pick<CoordinatorContext, 'blobs' | 'settings' | 'controlIdle'>

export async function applyControlRequests(context: RequestContext): Promise<void> {
  for (const { jobId, kind } of await context.store.requests.take()) {
    if (context.jobs.has(jobId)) await applyControlRequest(context, jobId, kind)
    else if (context.controlIdle)
      await context.controlIdle(jobId, kind).catch(error => complain(context, jobId, error))
    else await controlIdleJob(context, jobId, kind, context.clock.now(), context.settings)
  }
}

/** Handles a control request for an adopted job. A job that is being cancelled ignores further requests. */
export async function applyControlRequest(
  context: RequestContext,
  jobId: string,
  kind: RequestKind,
): Promise<void> {
  const running = context.jobs.get(jobId)
  if (!running || running.cancelled) return
  if (comesTooLate(running, kind)) context.emit('notice.given', { jobId, message: tooLate(jobId, kind) })
  else await obey[kind](context, running)
}

const tooLate = (jobId: string, kind: RequestKind): string =>
  `${kind} was ignored, because the last files of job ${jobId} were being written; repeat it when the job has ended`

/** Whether the request arrives too late. While the last files of a job are written, the job can only be cancelled. */
export const comesTooLate = ({ finish }: RunningJob, kind: RequestKind): boolean =>
  finish.ending !== null && kind !== 'cancel'

const complain = (context: RequestContext, jobId: string, error: unknown): void =>
  context.emit('notice.given', { jobId, message: asFailure(error).message })

const obey: Record<RequestKind, (context: RequestContext, running: RunningJob) => Promise<void>> = {
  pause: (context, running) => pauseJob(context, running, 'user', null),
  resume: resumeJob,
  cancel: cancelJob,
  retry: retryJob,
}

async function retryJob(context: RequestContext, running: RunningJob): Promise<void> {
  const reopened = await context.store.tasks.reopen(running.id, ['failed'])
  await acceptWork(
    context,
    reopened.map(({ host, count }) => ({ jobId: running.id, host, count })),
  )
  await resumeJob(context, running)
}
