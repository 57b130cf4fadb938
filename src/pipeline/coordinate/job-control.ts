// Pausing, resuming and tending a job: by a person, by its breaker, or because of the disk.
import type { Job } from '../../model/job.ts'
import { spaceVerdict } from '../../results/retention.ts'
import { type AbortContext, abortWork } from './abort-work.ts'
import type { CoordinatorContext } from './context.ts'
import { type FedJobContext, tendFedJob } from './fed-jobs.ts'
import {
  giveUpHosts,
  isNetworkDown,
  networkDown,
  networkRestMs,
  type OutageContext,
} from './give-up-hosts.ts'
import { noHealthyProxy, waitsForProxy } from './job-identities.ts'
import { failLateAnswers } from './late-answers.ts'
import { cancelledReason, type RunningJob } from './running-job.ts'
import { isHome } from './shards.ts'

/** What pausing, resuming and cancelling a job needs. */
export type ControlContext = AbortContext &
  Pick<CoordinatorContext, 'store' | 'dispatcher' | 'clock' | 'emit'>

/** What the periodic check of a job needs. */
export type SweepContext = ControlContext & FedJobContext & OutageContext & Pick<CoordinatorContext, 'blobs'>

/** What refused a write although it has room (a quota, a mount gone, a bucket in trouble) is tried again after this, then less often. */
const firstStorageRestMs = 1_000
const longestStorageRestMs = 30_000

/** The store first: a job that only this process believes to be paused would never be resumed. */
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
  // Someone may have given it more, or said that walls are no reason to stop.
  running.budget.limits = stored?.spec.policy.limits ?? running.budget.limits
  running.waste.reset()
  if (moved) context.emit('job.moved', { jobId: running.id, to: 'running', reason: null })
}

/** Tasks that wait end now. Tasks that run are aborted, and their reports end the job. A kill in between changes nothing. */
export async function cancelJob(context: ControlContext, running: RunningJob): Promise<void> {
  const change = { reason: cancelledReason, at: context.clock.now() }
  await context.store.jobs.move(running.id, ['running', 'paused'], 'finishing', change)
  abortWork(context, running)
  await reread(context, running)
  running.open -= await context.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
}

/** The spec stays as it was taken in hand: a resume may have changed it for this run. */
async function reread(context: ControlContext, running: RunningJob): Promise<Job | null> {
  const job = await context.store.jobs.get(running.id)
  if (job) Object.assign(running.job, job, { spec: running.job.spec })
  return job
}

/** Runs every sweep: gives dead hosts up, pauses the job where it must wait, resumes it when its rest is over. */
export async function tendJob(context: SweepContext, running: RunningJob): Promise<void> {
  await tendFedJob(context, running)
  running.networkIsDown = isNetworkDown(context, running)
  await giveUpHosts(context, running)
  await failLateAnswers(context, running)
  const now = context.clock.now()
  const space = spaceVerdict(await context.blobs.free(), context.settings)
  if (running.job.state === 'running') return pauseIfNeeded(context, running, space === 'full', now)
  if (!isHome(context.shard, running.job)) return
  const { state, reason, resumeAt } = running.job
  if (state !== 'paused' || (reason === 'storage.full' && space !== 'enough')) return
  if (reason === 'storage.full' && resumeAt === null) return resumeJob(context, running)
  if (reason === noHealthyProxy && !waitsForProxy(context, running)) return resumeJob(context, running)
  if (resumeAt !== null && resumeAt <= now) return resumeJob(context, running)
}

/** Twice as long each time, from the start again when all was well for as long as the longest. */
function nextStorageRest(running: RunningJob, now: number): number {
  const { restMs, until } = running.storageRest
  const isNew = now - until > longestStorageRestMs
  const nextMs = isNew ? firstStorageRestMs : Math.min(restMs * 2, longestStorageRestMs)
  running.storageRest = { restMs: nextMs, until: now + nextMs }
  return nextMs
}

async function pauseIfNeeded(
  context: SweepContext,
  running: RunningJob,
  full: boolean,
  now: number,
): Promise<void> {
  const trouble = running.storageTrouble
  running.storageTrouble = null
  if (full) return pauseJob(context, running, 'storage.full', null)
  if (trouble !== null) return pauseJob(context, running, trouble, now + nextStorageRest(running, now))
  if (running.open > 0 && waitsForProxy(context, running))
    return pauseJob(context, running, noHealthyProxy, null)
  if (running.networkIsDown) return pauseJob(context, running, networkDown, now + networkRestMs)
  if (running.breaker.state(now) === 'open')
    return pauseJob(context, running, 'breaker', running.breaker.openUntil)
}
