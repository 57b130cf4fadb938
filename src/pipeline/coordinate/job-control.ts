// Pausing, resuming and tending a job: by a person, by its breaker, or because of the disk.
import type { Job } from '../../model/job.ts'
import { spaceVerdict } from '../../results/retention.ts'
import { abortWork } from './abort-work.ts'
import type { Desk } from './desk.ts'
import { tendFedJob } from './fed-jobs.ts'
import { giveUpHosts, isNetworkDown, networkDown, networkRestMs } from './give-up-hosts.ts'
import { noHealthyProxy, waitsForProxy } from './job-identities.ts'
import { failLateAnswers } from './late-answers.ts'
import { cancelledReason, type RunningJob } from './running-job.ts'
import { isHome } from './shards.ts'

/** What refused a write although it has room (a quota, a mount gone, a bucket in trouble) is tried again after this, then less often. */
const firstStorageRestMs = 1_000
const longestStorageRestMs = 30_000

/** The store first: a job that only this process believes to be paused would never be resumed. */
export async function pauseJob(
  desk: Desk,
  running: RunningJob,
  reason: string | null,
  resumeAt: number | null,
): Promise<void> {
  const change = { reason, resumeAt, at: desk.clock.now() }
  const from = ['pending', 'running', 'paused'] as const
  if (!(await desk.store.jobs.move(running.id, from, 'paused', change))) return
  desk.dispatcher.suspend(running.id, resumeAt)
  await reread(desk, running)
  desk.emit('job.moved', { jobId: running.id, to: 'paused', reason })
}

export async function resumeJob(desk: Desk, running: RunningJob): Promise<void> {
  const change = { reason: null, resumeAt: null, at: desk.clock.now() }
  const moved = await desk.store.jobs.move(running.id, ['pending', 'paused', 'finishing'], 'running', change)
  desk.dispatcher.unsuspend(running.id)
  const stored = await reread(desk, running)
  // Someone may have given it more, or said that walls are no reason to stop.
  running.budget.limits = stored?.spec.policy.limits ?? running.budget.limits
  running.waste.reset()
  if (moved) desk.emit('job.moved', { jobId: running.id, to: 'running', reason: null })
}

/** Tasks that wait end now. Tasks that run are aborted, and their reports end the job. A kill in between changes nothing. */
export async function cancelJob(desk: Desk, running: RunningJob): Promise<void> {
  const change = { reason: cancelledReason, at: desk.clock.now() }
  await desk.store.jobs.move(running.id, ['running', 'paused'], 'finishing', change)
  abortWork(desk, running)
  await reread(desk, running)
  running.open -= await desk.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
}

/** The spec stays as it was taken in hand: a resume may have changed it for this run. */
async function reread(desk: Desk, running: RunningJob): Promise<Job | null> {
  const job = await desk.store.jobs.get(running.id)
  if (job) Object.assign(running.job, job, { spec: running.job.spec })
  return job
}

/** Runs every sweep: gives dead hosts up, pauses the job where it must wait, resumes it when its rest is over. */
export async function tendJob(desk: Desk, running: RunningJob): Promise<void> {
  await tendFedJob(desk, running)
  running.networkIsDown = isNetworkDown(desk, running)
  await giveUpHosts(desk, running)
  await failLateAnswers(desk, running)
  const now = desk.clock.now()
  const space = spaceVerdict(await desk.blobs.free(), desk.settings)
  if (running.job.state === 'running') return pauseIfNeeded(desk, running, space === 'full', now)
  if (!isHome(desk.shard, running.job)) return
  const { state, reason, resumeAt } = running.job
  if (state !== 'paused' || (reason === 'storage.full' && space !== 'enough')) return
  if (reason === 'storage.full' && resumeAt === null) return resumeJob(desk, running)
  if (reason === noHealthyProxy && !waitsForProxy(desk, running)) return resumeJob(desk, running)
  if (resumeAt !== null && resumeAt <= now) return resumeJob(desk, running)
}

/** Twice as long each time, from the start again when all was well for as long as the longest. */
function nextStorageRest(running: RunningJob, now: number): number {
  const { restMs, until } = running.storageRest
  const isNew = now - until > longestStorageRestMs
  const nextMs = isNew ? firstStorageRestMs : Math.min(restMs * 2, longestStorageRestMs)
  running.storageRest = { restMs: nextMs, until: now + nextMs }
  return nextMs
}

async function pauseIfNeeded(desk: Desk, running: RunningJob, full: boolean, now: number): Promise<void> {
  const trouble = running.storageTrouble
  running.storageTrouble = null
  if (full) return pauseJob(desk, running, 'storage.full', null)
  if (trouble !== null) return pauseJob(desk, running, trouble, now + nextStorageRest(running, now))
  if (running.open > 0 && waitsForProxy(desk, running)) return pauseJob(desk, running, noHealthyProxy, null)
  if (running.networkIsDown) return pauseJob(desk, running, networkDown, now + networkRestMs)
  if (running.breaker.state(now) === 'open')
    return pauseJob(desk, running, 'breaker', running.breaker.openUntil)
}
