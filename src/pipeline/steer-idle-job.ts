// Steering a job that nobody runs: the change is made in the store, and whoever takes the job up finds it so.
import type { RequestKind, Store } from '../ports/store.ts'

/** Only to be called by the owner of the data directory. A resume needs someone who runs the job, so there it changes nothing. */
export async function steerIdleJob(
  store: Store,
  jobId: string,
  kind: RequestKind,
  now: number,
): Promise<void> {
  if (kind === 'pause')
    await store.jobs.move(jobId, ['pending', 'running', 'paused'], 'paused', { reason: 'user', at: now })
  if (kind === 'cancel') await cancelIdle(store, jobId, now)
}

async function cancelIdle(store: Store, jobId: string, now: number): Promise<void> {
  await store.tasks.endPending(jobId, 'cancelled', 'job.cancelled')
  await store.jobs.move(jobId, ['pending', 'running', 'paused', 'finishing'], 'cancelled', { at: now })
}
