// Waits for the end of a job by events of the engine.
import type { Events } from '../model/events.ts'
import { Failure } from '../model/failures.ts'
import { hasEnded } from '../model/job.ts'
import type { Server, ServerParts } from './parts.ts'

type Watched = Pick<Server, 'settings'> & { parts: Pick<ServerParts, 'engine' | 'stopping' | 'store'> }

/** Less than the grace period, so that the response is sent before connections close: by a twentieth, at least by a second. */
export const drainMsOf = ({ graceMs }: Pick<Server['settings'], 'graceMs'>): number =>
  Math.max(graceMs / 2, graceMs - Math.max(1_000, graceMs / 20))

/** For callers whose page did not arrive before the service had to stop. */
export const stoppingFailure = ({ settings: { graceMs } }: Pick<Server, 'settings'>): Failure =>
  new Failure('worker.stopping', 'the service is stopping; retry when it is back', { retryAfterMs: graceMs })

/**
 * True once the job has ended; false on timeout, or when the client has gone. If the service stops, the job may still end within the
 * grace period.
 */
export async function jobEnded(
  { parts: { engine, stopping, store }, settings }: Watched,
  jobId: string,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const deaf = engine.listen((name, event) => {
    if (name !== 'job.moved') return
    const moved = event as Events['job.moved']
    if (moved.jobId !== jobId) return
    if (hasEnded(moved.to)) resolve(true)
    // The engine has stopped; this process will not finish the job.
    else if (moved.to === 'paused' && moved.reason === 'interrupted') resolve(false)
  })
  const giveUp = () => resolve(false)
  const timer = setTimeout(giveUp, timeoutMs)
  let drain: NodeJS.Timeout | undefined
  const onStop = () => {
    drain = setTimeout(giveUp, drainMsOf(settings))
  }
  gone.addEventListener('abort', giveUp)
  stopping.addEventListener('abort', onStop)
  try {
    // Catches a job that ended between the submission and the subscription.
    const job = await store.jobs.get(jobId)
    if (!job || hasEnded(job.state)) return true
    if (gone.aborted || job.reason === 'interrupted') return false
    if (stopping.aborted) onStop()
    return await promise
  } finally {
    deaf()
    clearTimeout(timer)
    clearTimeout(drain)
    gone.removeEventListener('abort', giveUp)
    stopping.removeEventListener('abort', onStop)
  }
}
