// Controls a job that no process runs. The change is made in the store and applies when a coordinator adopts the job.
import type { Job } from '../../../model/job.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { RequestKind, Store } from '../../../ports/store.ts'
import { writeManifests } from '../../../results/manifests.ts'
import { endingWebhooks } from '../outputs/notify-job-end.ts'
import { cancelledReason } from '../running-job.ts'

interface IdleParts {
  store: Store
  blobs: Blobs
}

interface IdleOptions {
  /** The operator's webhook URL, for jobs that have none. */
  webhookUrl?: string | undefined
  /** Finishes a large job in the background. If unset, the manifests of every job are written before the call resolves. */
  finish?: (jobId: string) => Promise<void>
}

/** Jobs with more tasks are finished in the background, because writing their manifests would block the coordinator's loop. */
const mostAtOnce = 1_000

/** Call this only in the process that owns the data. Only pause and cancel have an effect. A resume needs a process
 *  that runs the job. */
export async function controlIdleJob(
  parts: IdleParts,
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

async function cancelIdle(parts: IdleParts, jobId: string, now: number, options: IdleOptions): Promise<void> {
  const { store } = parts
  await store.tasks.endPending(jobId, 'cancelled', 'job.cancelled')
  const job = await store.jobs.get(jobId)
  if (!job) return
  const { tasks } = await store.jobs.counts(jobId)
  if (options.finish && tasks > mostAtOnce) {
    const change = { reason: cancelledReason, at: now }
    await store.jobs.move(jobId, ['pending', 'running', 'paused'], 'finishing', change)
    return options.finish(jobId)
  }
  await endCancelled(parts, job, now, options)
}

async function endCancelled(parts: IdleParts, job: Job, now: number, options: IdleOptions): Promise<void> {
  const state = 'cancelled'
  await writeManifests(parts, { ...job, state })
  const ending = { job, state, reason: null, at: now } as const
  const webhooks = await endingWebhooks(parts, ending, options.webhookUrl)
  const from = ['pending', 'running', 'paused', 'finishing'] as const
  await parts.store.jobs.move(job.id, from, state, { at: now, webhooks })
}
