// Pauses, resumes and checks a job: by request, by its breaker, or because of storage.
import type { Job } from '../../../model/job.ts'
import { spaceVerdict } from '../../../results/retention.ts'
import type { CoordinatorContext } from '../context.ts'
import { failSilentHosts, networkDown, networkRestMs, type OutageContext } from '../hosts/silent-hosts.ts'
import { noHealthyProxy, waitsForProxy } from '../job-identities.ts'
import { cancelledReason, type RunningJob } from '../running-job.ts'
import { type AbortContext, abortWork } from './abort-work.ts'
import { checkFedJob, type FedJobContext } from './fed-jobs.ts'
import { failLateAnswers } from './late-answers.ts'

/** Dependencies for pausing, resuming and cancelling a job. */
export type ControlContext = AbortContext &
  Pick<CoordinatorContext, 'store' | 'dispatcher' | 'clock' | 'emit'>

/** Dependencies for the periodic check of a job. */
type SweepContext = ControlContext & FedJobContext & OutageContext & Pick<CoordinatorContext, 'blobs'>

/** Pauses the job in the store first, then in memory. A job that is paused only in memory would never be resumed. */
export async function pauseJob(
  context: ControlContext,
  running: RunningJob,
  reason: string | null,
  resumeAt: number | null,
): Promise<void> {
  const change = { reason, resumeAt, at: context.clock.now() }
  const from = ['pending', 'running', 'paused'] as const
  if (!(await context.store.jobs.move(running.id, from, 'paused', change))) return
  context.dispatcher.suspend(running.id, resumeAt)
  await reread(context, running)
  context.emit('job.moved', { jobId: running.id, to: 'paused', reason })
}

export async function resumeJob(context: ControlContext, running: RunningJob): Promise<void> {
  const change = { reason: null, resumeAt: null, at: context.clock.now() }
  const moved = await context.store.jobs.move(
    running.id,
    ['pending', 'paused', 'finishing'],
    'running',
    change,
  )
  context.dispatcher.unsuspend(running.id)
  const stored = await reread(context, running)
  running.resumed(stored?.spec.policy.limits)
  if (moved) context.emit('job.moved', { jobId: running.id, to: 'running', reason: null })
}

/** Ends waiting tasks and aborts running tasks; the reports of the aborted tasks then end the job. The store has the state
 *  `finishing` first, so the cancel continues after a crash. */
export async function cancelJob(context: ControlContext, running: RunningJob): Promise<void> {
  const change = { reason: cancelledReason, at: context.clock.now() }
  await context.store.jobs.move(running.id, ['running', 'paused'], 'finishing', change)
  abortWork(context, running)
  await reread(context, running)
  running.tasksEnded(await context.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled'))
}

async function reread(context: ControlContext, running: RunningJob): Promise<Job | null> {
  const job = await context.store.jobs.get(running.id)
  if (job) running.refresh(job)
  return job
}

/** Runs in every sweep: fails tasks of hosts that do not respond, pauses the job if it must wait, and resumes it after the wait. */
export async function checkJob(context: SweepContext, running: RunningJob): Promise<void> {
  await checkFedJob(context, running)
  await failSilentHosts(context, running)
  await failLateAnswers(context, running)
  const now = context.clock.now()
  const space = spaceVerdict(await context.blobs.free(), context.settings)
  if (running.job.state === 'running') return pauseIfNeeded(context, running, space === 'full', now)
  if (!context.shards.isHome(running.job)) return
  const { state, reason, resumeAt } = running.job
  if (state !== 'paused' || (reason === 'storage.full' && space !== 'enough')) return
  if (reason === 'storage.full' && resumeAt === null) return resumeJob(context, running)
  if (reason === noHealthyProxy && !waitsForProxy(context, running)) return resumeJob(context, running)
  if (resumeAt !== null && resumeAt <= now) return resumeJob(context, running)
}

async function pauseIfNeeded(
  context: SweepContext,
  running: RunningJob,
  full: boolean,
  now: number,
): Promise<void> {
  const trouble = running.storage.take()
  if (full) return pauseJob(context, running, 'storage.full', null)
  if (trouble !== null) return pauseJob(context, running, trouble, now + running.storage.nextRestMs(now))
  if (running.open > 0 && waitsForProxy(context, running))
    return pauseJob(context, running, noHealthyProxy, null)
  if (running.outage.networkIsDown) return pauseJob(context, running, networkDown, now + networkRestMs)
  if (running.breaker.state(now) === 'open')
    return pauseJob(context, running, 'breaker', running.breaker.openUntil)
}
