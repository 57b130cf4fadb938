// Waits for one task by events of the engine, without polling.
import type { Events } from '../../../model/events.ts'
import { hasEnded } from '../../../model/job.ts'
import { isTerminal, type Reason } from '../../../model/task.ts'
import { drainMsOf } from '../../job-watch.ts'
import type { Server } from '../../parts.ts'

/** `stuck`: the task was tried and now waits for something that may take long. */
export type Ending =
  | { is: 'ended' }
  | { is: 'late' }
  | { is: 'gone' }
  | { is: 'stopping' }
  | { is: 'stuck'; reason: Reason; message: string | null }

/** If the task waits for one of these, the caller gets the reason instead of waiting. */
const stuckFor: ReadonlySet<Reason> = new Set<Reason>([
  'pool.exhausted',
  'proxy.none-healthy',
  'host.not-now',
])

/** Waits for the first task of a job. `gone` is aborted when the client has disconnected. */
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
    // The engine has stopped; this process will not finish the task.
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
    // Catches a task that ended between the submission and the subscription.
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
