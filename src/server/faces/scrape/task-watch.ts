// Waiting for one task: by the events of the engine, not by asking again and again.
import type { Events } from '../../../model/events.ts'
import { hasEnded } from '../../../model/job.ts'
import { isTerminal, type Reason } from '../../../model/task.ts'
import type { ServerParts } from '../../parts.ts'

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

type WatchParts = Pick<ServerParts, 'engine' | 'stopping' | 'store'>

/** The first task of a job; `gone` is aborted when nobody waits any more. */
export async function endingOf(
  { engine, stopping, store }: WatchParts,
  jobId: string,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>()
  const deaf = engine.listen((name, event) => {
    if ((event as { jobId?: string }).jobId !== jobId) return
    if (name === 'job.moved' && hasEnded((event as Events['job.moved']).to)) resolve({ is: 'ended' })
    if (name === 'task.settled') onSettled(event as Events['task.settled'])
  })
  const onSettled = ({ n, state, reason, message }: Events['task.settled']) => {
    if (n !== 1) return
    if (isTerminal(state)) resolve({ is: 'ended' })
    else if (stuckFor.has(reason)) resolve({ is: 'stuck', reason, message })
  }
  const onGone = () => resolve({ is: 'gone' })
  const onStop = () => resolve({ is: 'stopping' })
  const timer = setTimeout(() => resolve({ is: 'late' }), timeoutMs)
  gone.addEventListener('abort', onGone)
  stopping.addEventListener('abort', onStop)
  try {
    // What ended between the submission and the listening is seen here.
    const task = await store.tasks.get(jobId, 1)
    if (!task || isTerminal(task.state)) return { is: 'ended' }
    if (stopping.aborted) return { is: 'stopping' }
    return await promise
  } finally {
    deaf()
    clearTimeout(timer)
    gone.removeEventListener('abort', onGone)
    stopping.removeEventListener('abort', onStop)
  }
}
