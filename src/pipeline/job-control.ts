// Pausing, resuming and tending a job: by a person, by its breaker, or because the disk is full.
import type { Desk } from './desk.ts'
import type { RunningJob } from './running-job.ts'

export async function pauseJob(
  desk: Desk,
  running: RunningJob,
  reason: string | null,
  resumeAt: number | null,
): Promise<void> {
  desk.dispatcher.suspend(running.id, resumeAt)
  await desk.store.jobs.move(running.id, ['pending', 'running', 'paused'], 'paused', {
    reason,
    resumeAt,
    at: desk.clock.now(),
  })
  await reread(desk, running)
  desk.emit('job.moved', { jobId: running.id, to: 'paused', reason })
}

export async function resumeJob(desk: Desk, running: RunningJob): Promise<void> {
  desk.dispatcher.unsuspend(running.id)
  const change = { reason: null, resumeAt: null, at: desk.clock.now() }
  const moved = await desk.store.jobs.move(running.id, ['pending', 'paused', 'finishing'], 'running', change)
  await reread(desk, running)
  if (moved) desk.emit('job.moved', { jobId: running.id, to: 'running', reason: null })
}

/** The spec stays as it was taken in hand: a resume may have changed it for this run. */
async function reread(desk: Desk, running: RunningJob): Promise<void> {
  const job = await desk.store.jobs.get(running.id)
  if (job) Object.assign(running.job, job, { spec: running.job.spec })
}

/** Looked at every sweep: a tripped breaker pauses, a rest that is over resumes, a full disk holds everything. */
export async function tendJob(desk: Desk, running: RunningJob): Promise<void> {
  const now = desk.clock.now()
  const { state, reason, resumeAt } = running.job
  const free = await desk.blobs.free()
  const full = free !== null && free < desk.settings.minFreeBytes
  if (state === 'running' && full) return pauseJob(desk, running, 'storage.full', null)
  if (state === 'running' && running.breaker.state(now) === 'open')
    return pauseJob(desk, running, 'breaker', running.breaker.openUntil)
  if (state !== 'paused') return
  if (reason === 'storage.full' && !full) return resumeJob(desk, running)
  if (resumeAt !== null && resumeAt <= now) return resumeJob(desk, running)
}
