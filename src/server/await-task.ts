// Waits for the first task of a job, because a caller waits for its page. Events of the engine report the end of the task.
import type { Events } from '../model/events.ts'
import { Failure, type FailureCode } from '../model/failures.ts'
import { hasEnded } from '../model/job.ts'
import { isTerminal, type Reason, type Task } from '../model/task.ts'
import { waitForCaller } from './job-watch.ts'
import type { Server } from './parts.ts'
import { failureWhenLate, taskFailure } from './task-failure.ts'

/** How a wait ended. `stuck`: an attempt failed, and the next one may start only after a long wait. */
type Ending =
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

interface TaskWait {
  timeoutMs: number
  /** Aborted when the client has disconnected. */
  gone: AbortSignal
  /** Returns the error message for the timeout. `why`: what the task was waiting for. */
  notDone: (why: string) => string
  /** Whether the task continues if the client disconnects or the service stops. Otherwise the job is cancelled. */
  continues: boolean
  /** Added to the details of an error. */
  details?: Record<string, unknown>
}

interface AwaitedTask {
  ending: Ending
  task: Task | null
  /** The error at the timeout; null if the wait ended before. */
  late: Failure | null
}

/** Waits for the first task of a job. Cancels the job if its page cannot arrive in time. */
export async function awaitTask(
  server: Server,
  jobId: string,
  { timeoutMs, gone, notDone, continues, details }: TaskWait,
): Promise<AwaitedTask> {
  const { engine, store } = server.parts
  const ending = await endingOf(server, jobId, timeoutMs, gone)
  const late = ending.is === 'late' ? await failureWhenLate(server.parts, jobId, notDone, details) : null
  const isCancelled = continues ? ending.is === 'late' || ending.is === 'stuck' : ending.is !== 'ended'
  if (isCancelled)
    await engine.steer(jobId, 'cancel').catch(error => {
      if (continues && !hasJustEnded(error)) throw error
    })
  return { ending, late, task: await store.tasks.get(jobId, 1) }
}

const hasJustEnded = (error: unknown): boolean => error instanceof Failure && error.code === 'job.wrong-state'

/** The error for the caller if the wait ended without a page. */
export function whyNoPage(
  { parts }: Server,
  { ending, task, late }: AwaitedTask,
  { cancelled, stopping }: { cancelled: string; stopping: Failure },
  details: Record<string, unknown> = {},
): Failure {
  if (task && isTerminal(task.state) && task.state !== 'cancelled')
    return taskFailure(task, parts.clock.now(), details)
  if (ending.is === 'stuck') return stuckFailure(ending, `${task?.url} must wait`, details)
  if (late) return late
  return ending.is === 'ended' ? new Failure('job.wrong-state', cancelled, details) : stopping
}

export const stuckFailure = (
  { reason, message }: Extract<Ending, { is: 'stuck' }>,
  otherwise: string,
  details: Record<string, unknown> = {},
): Failure => new Failure(reason as FailureCode, message ?? otherwise, details)
