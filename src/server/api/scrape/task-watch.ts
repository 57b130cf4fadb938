// Waiting for one task: by the events of the engine, not by asking again and again.
import type { Events } from '../../../model/events.ts'
import { hasEnded } from '../../../model/job.ts'
import { isTerminal, type Reason } from '../../../model/task.ts'
import type { Server } from '../../parts.ts'

/** `stuck`: it was tried, and has to wait for something that may be long in coming. */
export type Ending =
  | { is: 'ended' }
  | { is: 'late' }
  | { is: 'gone' }
  | { is: 'stopping' }
  | { is: 'stuck'; reason: Reason; message: string | null }

/** What the task waits for then is told to whoever waits for the task. */
const stuckFor: ReadonlySet<Reason> = new Set<Reason>([
  'pool.exhausted',
  'proxy.none-healthy',
  'host.not-now',
])

/** A little less than the grace period, so that the answer is out before connections are cut. */
const drainMsOf = ({ graceMs }: Pick<Server['settings'], 'graceMs'>): number => graceMs * 0.95

/** The first task of a job; `gone` is aborted when nobody waits any more. */
export async function endingOf(
  { parts: { engine, stopping, store }, settings }: Pick<Server, 'parts' | 'settings'>,
  jobId: string,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>()
  const deaf = engine.listen((name, event) => {
    if ((event as { jobId?: string }).jobId !== jobId) return
    if (name === 'job.moved') onMoved(event as Events['job.moved'])
    if (name === 'task.settled') onSettled(event as Events['task.settled'])
  })
  const onMoved = ({ to, reason }: Events['job.moved']) => {
    if (hasEnded(to)) resolve({ is: 'ended' })
    // The engine has stopped: nothing more comes of the task in this process.
    else if (to === 'paused' && reason === 'interrupted') resolve({ is: 'stopping' })
  }
  const onSettled = ({ n, state, reason, message }: Events['task.settled']) => {
    if (n !== 1) return
    if (isTerminal(state)) resolve({ is: 'ended' })
    else if (stuckFor.has(reason)) resolve({ is: 'stuck', reason, message })
  }
  const onGone = () => resolve({ is: 'gone' })
  let drain: NodeJS.Timeout | undefined
  const onStop = () => {
    drain = setTimeout(() => resolve({ is: 'stopping' }), drainMsOf(settings))
  }
  const timer = setTimeout(() => resolve({ is: 'late' }), timeoutMs)
  gone.addEventListener('abort', onGone)
  stopping.addEventListener('abort', onStop)
  try {
    // What ended between the submission and the listening is seen here.
    const task = await store.tasks.get(jobId, 1)
    if (!task || isTerminal(task.state)) return { is: 'ended' }
    if (stopping.aborted) onStop()
    return await promise
  } finally {
    deaf()
    clearTimeout(timer)
    clearTimeout(drain)
    gone.removeEventListener('abort', onGone)
    stopping.removeEventListener('abort', onStop)
  }
}
