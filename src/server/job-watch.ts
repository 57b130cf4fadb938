// Waits for the end of a job by events of the engine.
import type { Events } from '../model/events.ts'
import { hasEnded } from '../model/job.ts'
import type { ServerParts } from './parts.ts'

type WatchParts = Pick<ServerParts, 'engine' | 'stopping' | 'store'>

/** True once the job has ended; false on timeout, or when the client has gone. */
export async function jobEnded(
  { engine, stopping, store }: WatchParts,
  jobId: string,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const deaf = engine.listen((name, event) => {
    if (name !== 'job.moved') return
    const moved = event as Events['job.moved']
    if (moved.jobId === jobId && hasEnded(moved.to)) resolve(true)
  })
  const giveUp = () => resolve(false)
  const timer = setTimeout(giveUp, timeoutMs)
  for (const signal of [gone, stopping]) signal.addEventListener('abort', giveUp)
  try {
    // Catches a job that ended between the submission and the subscription.
    const job = await store.jobs.get(jobId)
    if (!job || hasEnded(job.state)) return true
    if (gone.aborted || stopping.aborted) return false
    return await promise
  } finally {
    deaf()
    clearTimeout(timer)
    for (const signal of [gone, stopping]) signal.removeEventListener('abort', giveUp)
  }
}
