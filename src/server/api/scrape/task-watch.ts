// Waits for one task by events of the engine, without polling.
import type { Events } from '../../../model/events.ts'
import { hasEnded } from '../../../model/job.ts'
import { isTerminal, type Reason } from '../../../model/task.ts'
import { waitForCaller } from '../../job-watch.ts'
import type { Server } from '../../parts.ts'

/** How a wait ended. `stuck`: an attempt failed, and the task now waits for something that may take long. */
export type Ending =
  | { is: 'ended' }
  | { is: 'late' }
  | { is: 'gone' }
  | { is: 'stopping' }
  | { is: 'stuck'; reason: Reason; message: string | null }

/** If the task waits for one of these reasons, the caller gets the reason at once. */
const stuckFor: ReadonlySet<Reason> = new Set<Reason>([
  'pool.exhausted',
  'proxy.none-healthy',
  'host.not-now',
])

/** Waits for the first task of a job. `gone` is aborted when the client has disconnected. */
export const endingOf = (
  server: Pick<Server, 'parts' | 'settings'>,
  jobId: string,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<Ending> =>
  waitForCaller<Ending>(server, {
    timeoutMs,
    gone,
    ends: { late: { is: 'late' }, gone: { is: 'gone' }, stopping: { is: 'stopping' } },
    hear: resolve => {
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
      return (name, event) => {
        if ((event as { jobId?: string }).jobId !== jobId) return
        if (name === 'job.moved') onMoved(event as Events['job.moved'])
        if (name === 'task.settled') onSettled(event as Events['task.settled'])
      }
    },
    stored: async () => {
      const task = await server.parts.store.tasks.get(jobId, 1)
      return !task || isTerminal(task.state) ? { is: 'ended' } : null
    },
  })
