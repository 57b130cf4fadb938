// Steering a job that nobody runs: the change is made in the store, and whoever takes the job up finds it so.
import type { Blobs } from '../ports/blobs.ts'
import type { RequestKind, Store } from '../ports/store.ts'
import { endingWebhooks } from './tell-ending.ts'

export interface IdleOptions {
  /** The operator's, for jobs that name none. */
  webhookUrl?: string | undefined
}

/** Only to be called by the owner of the data directory. A resume needs someone who runs the job, so there it changes nothing. */
export async function steerIdleJob(
  parts: { store: Store; blobs: Blobs },
  jobId: string,
  kind: RequestKind,
  now: number,
  options: IdleOptions = {},
): Promise<void> {
  if (kind === 'pause')
    await parts.store.jobs.move(jobId, ['pending', 'running', 'paused'], 'paused', {
      reason: 'user',
      at: now,
    })
  if (kind === 'cancel') await cancelIdle(parts, jobId, now, options)
}

async function cancelIdle(
  parts: { store: Store; blobs: Blobs },
  jobId: string,
  now: number,
  options: IdleOptions,
): Promise<void> {
  const { store } = parts
  await store.tasks.endPending(jobId, 'cancelled', 'job.cancelled')
  const job = await store.jobs.get(jobId)
  if (!job) return
  const ending = { job, state: 'cancelled', reason: null, at: now } as const
  const webhooks = await endingWebhooks(parts, ending, options.webhookUrl)
  const from = ['pending', 'running', 'paused', 'finishing'] as const
  await store.jobs.move(jobId, from, 'cancelled', { at: now, webhooks })
}
