// Somebody waits for an answer: what cannot arrive in time fails at once, with what it would have waited for.
import type { Wait } from '../../dispatch/dispatcher.ts'
import type { FailureCode } from '../../model/failures.ts'
import type { Reason, Task } from '../../model/task.ts'
import type { Desk } from './desk.ts'
import { noHealthyProxy } from './job-identities.ts'
import type { RunningJob } from './running-job.ts'

interface Late {
  reason: Reason
  message: string
  /** When another try may succeed; 0 where nobody knows. */
  retryAt: number
}

/** A server that restarts is back by then. Someone at a terminal says with `--wait` how long to try. */
const refusedMs = 5_000

/** Ends the waiting tasks of a job whose caller would get no answer in time. A response that is arriving may finish. */
export async function failLateAnswers(desk: Desk, job: RunningJob): Promise<void> {
  const { answerBy } = job
  if (answerBy === null || job.open === 0 || job.ingesting) return
  const late = await lateBy(desk, job, answerBy)
  if (late === null) return
  for (const host of desk.dispatcher.hostNamesOf(job.id)) desk.dispatcher.dropWork(job.id, host)
  const { reason, message, retryAt } = late
  job.open -= await desk.store.tasks.endPending(job.id, 'failed', reason, { message, retryAt })
}

async function lateBy(desk: Desk, job: RunningJob, answerBy: number): Promise<Late | null> {
  const now = desk.clock.now()
  if (job.job.reason === noHealthyProxy)
    return { reason: 'proxy.none-healthy', message: 'no proxy of the job works', retryAt: 0 }
  const wait = desk.dispatcher.waiting(now, job.id).find(({ nextAt }) => nextAt !== null && nextAt > answerBy)
  if (wait) return waitFailure(wait)
  const wakeAt = await desk.store.tasks.nextWake(job.id)
  if (wakeAt !== null && wakeAt > answerBy) return retryFailure(await firstOpen(desk, job), wakeAt)
  if (wakeAt !== null && job.job.face !== 'cli' && now - job.job.createdAt >= refusedMs) {
    const task = await firstOpen(desk, job)
    if (task?.reason === 'connect.refused') return retryFailure(task, wakeAt)
  }
  return now >= answerBy && job.inFlight === 0 ? notInTime(desk, job, now) : null
}

const waitWords: Partial<Record<Wait['reason'], { code: FailureCode; words: string }>> = {
  breaker: { code: 'host.not-now', words: 'failed too often; its breaker is open' },
  hours: { code: 'host.closed', words: 'is outside its allowed hours' },
  'job-hours': { code: 'host.closed', words: 'waits for the allowed hours of the job' },
  robots: { code: 'robots.unreachable', words: 'has a robots.txt that could not be read' },
  'retry-after': { code: 'host.throttled', words: 'asked to wait (Retry-After)' },
  slowdown: { code: 'host.throttled', words: 'answered 429 and is asked less often' },
}

function waitFailure({ reason, nextAt, exampleHost }: Wait): Late {
  const { code, words } = waitWords[reason] ?? { code: 'host.not-now', words: `has to wait (${reason})` }
  const until = new Date(nextAt!).toISOString()
  return { reason: code, message: `${exampleHost} ${words} until ${until}`, retryAt: nextAt! }
}

/** The task failed before, and its next attempt would come too late: what it failed with is the answer. */
function retryFailure(task: Task | null, wakeAt: number): Late {
  const reason = task?.reason ?? 'task.deadline'
  return { reason, message: task?.message ?? 'its next attempt comes too late', retryAt: wakeAt }
}

async function firstOpen(desk: Desk, job: RunningJob): Promise<Task | null> {
  const [task] = await desk.store.tasks.list(job.id, { after: 0, limit: 1, states: ['pending'] })
  return task ?? null
}

async function notInTime(desk: Desk, job: RunningJob, now: number): Promise<Late> {
  const task = await firstOpen(desk, job)
  if (task?.reason) return retryFailure(task, 0)
  const [wait] = desk.dispatcher.waiting(now, job.id)
  const waited = wait ? `; it waits for: ${wait.reason}` : ''
  const seconds = job.job.spec.policy.answerWithinMs / 1_000
  return { reason: 'task.deadline', message: `nothing was fetched within ${seconds} s${waited}`, retryAt: 0 }
}
