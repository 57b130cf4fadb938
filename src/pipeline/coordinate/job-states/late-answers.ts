// For jobs whose caller waits: a task that cannot finish in time fails at once, with the reason of the delay.
import type { Wait } from '../../../dispatch/dispatcher.ts'
import type { FailureCode } from '../../../model/failures.ts'
import type { Reason, Task } from '../../../model/task.ts'
import type { CoordinatorContext } from '../context.ts'
import { noHealthyProxy } from '../job-identities.ts'
import type { RunningJob } from '../running-job.ts'

/** Dependencies for failing tasks that would finish too late for their caller. */
type DeadlineContext = Pick<CoordinatorContext, 'store' | 'dispatcher' | 'clock'>

interface Late {
  reason: Reason
  message: string
  /** The time when a retry may succeed; 0 if unknown. */
  retryAt: number
}

/** How long a refused connection is retried. A server that restarts is usually back after this time. On the command
 *  line, `--wait` sets another time. */
const refusedMs = 5_000

/** Fails the waiting tasks of a job if they cannot finish before the caller's deadline. Requests in flight may finish. */
export async function failLateAnswers(context: DeadlineContext, job: RunningJob): Promise<void> {
  const { answerBy } = job
  if (answerBy === null || job.open === 0 || job.ingesting) return
  const late = await lateBy(context, job, answerBy)
  if (late === null) return
  for (const host of context.dispatcher.hostNamesOf(job.id)) context.dispatcher.dropWork(job.id, host)
  const { reason, message, retryAt } = late
  job.tasksEnded(await context.store.tasks.endPending(job.id, 'failed', reason, { message, retryAt }))
}

async function lateBy(context: DeadlineContext, job: RunningJob, answerBy: number): Promise<Late | null> {
  const now = context.clock.now()
  if (job.job.reason === noHealthyProxy)
    return { reason: 'proxy.none-healthy', message: 'no proxy of the job works', retryAt: 0 }
  const wait = context.dispatcher
    .waiting(now, job.id)
    .find(({ nextAt }) => nextAt !== null && nextAt > answerBy)
  // If all proxies rest, earlier attempts used them. Report the failure of the last attempt, which says more than the wait.
  const tried = wait?.reason === 'proxy-rest' ? await firstOpen(context, job) : null
  if (wait) return tried?.reason ? retryFailure(tried, wait.nextAt!) : waitFailure(wait)
  const wakeAt = await context.store.tasks.nextWake(job.id)
  if (wakeAt !== null && wakeAt > answerBy) return retryFailure(await firstOpen(context, job), wakeAt)
  if (wakeAt !== null && job.job.face !== 'cli' && now - job.job.createdAt >= refusedMs) {
    const task = await firstOpen(context, job)
    if (task?.reason === 'connect.refused') return retryFailure(task, wakeAt)
  }
  return now >= answerBy && job.inFlight === 0 ? notInTime(context, job, now) : null
}

const waitWords: Partial<Record<Wait['reason'], { code: FailureCode; words: string }>> = {
  breaker: { code: 'host.not-now', words: 'failed too often; its breaker is open' },
  hours: { code: 'host.closed', words: 'is outside its allowed hours' },
  'job-hours': { code: 'host.closed', words: 'waits for the allowed hours of the job' },
  robots: { code: 'robots.unreachable', words: 'has a robots.txt that could not be read' },
  'proxy-rest': {
    code: 'proxy.none-healthy',
    words: 'is reached only through proxies that rest after failures',
  },
  'retry-after': { code: 'host.throttled', words: 'asked to wait (Retry-After)' },
  slowdown: { code: 'host.throttled', words: 'answered 429 and gets fewer requests' },
}

function waitFailure({ reason, nextAt, exampleHost }: Wait): Late {
  const { code, words } = waitWords[reason] ?? { code: 'host.not-now', words: `has to wait (${reason})` }
  const until = new Date(nextAt!).toISOString()
  return { reason: code, message: `${exampleHost} ${words} until ${until}`, retryAt: nextAt! }
}

/** The failure of a task whose next attempt would start too late: the failure of its last attempt. */
function retryFailure(task: Task | null, wakeAt: number): Late {
  const reason = task?.reason ?? 'task.deadline'
  return { reason, message: task?.message ?? 'its next attempt comes too late', retryAt: wakeAt }
}

async function firstOpen(context: DeadlineContext, job: RunningJob): Promise<Task | null> {
  const [task] = await context.store.tasks.list(job.id, { after: 0, limit: 1, states: ['pending'] })
  return task ?? null
}

async function notInTime(context: DeadlineContext, job: RunningJob, now: number): Promise<Late> {
  const task = await firstOpen(context, job)
  if (task?.reason) return retryFailure(task, 0)
  const [wait] = context.dispatcher.waiting(now, job.id)
  const waited = wait ? `; it waits for: ${wait.reason}` : ''
  const seconds = job.job.spec.policy.answerWithinMs / 1_000
  return { reason: 'task.deadline', message: `nothing was fetched within ${seconds} s${waited}`, retryAt: 0 }
}
