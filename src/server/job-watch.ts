// Waits for the end of a job. Events of the engine report it.
import { offAbort, onAbort } from '../lib/abort-handlers.ts'
import type { Listener } from '../lib/emitter.ts'
import type { Events } from '../model/events.ts'
import { Failure } from '../model/failures.ts'
import { hasEnded } from '../model/job.ts'
import type { FastifyReply } from './app.ts'
import type { Server, ServerParts } from './parts.ts'

type Watched = Pick<Server, 'settings'> & { parts: Pick<ServerParts, 'engine' | 'stopping' | 'store'> }

/** How long callers may still wait after the service begins to stop. A twentieth of the grace period (at least a
 *  second, but at most half of the period) remains for sending responses before connections close. */
export const drainMsOf = ({ graceMs }: Pick<Server['settings'], 'graceMs'>): number =>
  Math.max(graceMs / 2, graceMs - Math.max(1_000, graceMs / 20))

/** The error for callers whose page did not arrive before the service stopped. */
export const stoppingFailure = ({ settings: { graceMs } }: Pick<Server, 'settings'>): Failure =>
  new Failure('worker.stopping', 'the service is stopping; retry when it is back', { retryAfterMs: graceMs })

/** A signal that is aborted when the client disconnects. */
export function goneWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

interface CallerWait<Outcome> {
  timeoutMs: number
  /** Aborted when the client has disconnected. */
  gone: AbortSignal
  /** The results if the timeout expires, if the client disconnects, and if the service stops. */
  ends: Record<'late' | 'gone' | 'stopping', Outcome>
  /** Creates a listener that gets every event of the engine. */
  hear: (resolve: (outcome: Outcome) => void) => Listener
  /** The outcome if it is already stored, because no event follows then. Null otherwise. */
  stored: () => Promise<Outcome | null>
}

/** Waits for events of the engine on behalf of a caller. If the service stops, the wait ends shortly before the end of
 *  the grace period. */
export async function waitForCaller<Outcome>(
  { parts: { engine, stopping }, settings }: Watched,
  { timeoutMs, gone, ends, hear, stored }: CallerWait<Outcome>,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const unsubscribe = engine.listen(hear(resolve))
  const timer = setTimeout(() => resolve(ends.late), timeoutMs)
  let drain: NodeJS.Timeout | undefined
  const onGone = () => resolve(ends.gone)
  const onStop = () => {
    drain = setTimeout(() => resolve(ends.stopping), drainMsOf(settings))
  }
  onAbort(gone, onGone)
  onAbort(stopping, onStop)
  try {
    const known = await stored()
    if (known !== null) return known
    if (gone.aborted) return ends.gone
    if (stopping.aborted) onStop()
    return await promise
  } finally {
    unsubscribe()
    clearTimeout(timer)
    clearTimeout(drain)
    offAbort(gone, onGone)
    offAbort(stopping, onStop)
  }
}

/** True if the job has ended. False if the timeout expires, the client disconnects, or this process cannot finish the job. */
export const jobEnded = (
  server: Watched,
  jobId: string,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<boolean> =>
  waitForCaller<boolean>(server, {
    timeoutMs,
    gone,
    ends: { late: false, gone: false, stopping: false },
    hear: resolve => (name, event) => {
      if (name !== 'job.moved') return
      const moved = event as Events['job.moved']
      if (moved.jobId !== jobId) return
      if (hasEnded(moved.to)) resolve(true)
      // The engine has stopped; this process will not finish the job.
      else if (moved.to === 'paused' && moved.reason === 'interrupted') resolve(false)
    },
    stored: async () => {
      const job = await server.parts.store.jobs.get(jobId)
      if (!job || hasEnded(job.state)) return true
      return job.reason === 'interrupted' ? false : null
    },
  })
