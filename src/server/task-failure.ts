// Turns a failed or late task into the error response of the caller that waits for it.
import { Failure, type FailureCode, failures } from '../model/failures.ts'
import type { Task } from '../model/task.ts'
import type { ServerParts } from './parts.ts'

/** The time limit for the engine. It is 5 % shorter than the caller's timeout, so that the caller gets the reason of a failure
 *  before that timeout. */
export const answeredWithin = (timeoutMs: number) => ({
  answerWithinMs: Math.max(1, Math.floor(timeoutMs * 0.95)),
})

/** The failure of a task. It has `retryAfterMs` if the time of the next retry is known. */
export function taskFailure(
  { reason, message, url, notBefore }: Pick<Task, 'reason' | 'message' | 'url' | 'notBefore'>,
  now: number,
  details: Record<string, unknown> = {},
): Failure {
  const code = (reason !== null && reason in failures ? reason : 'internal.bug') as FailureCode
  return new Failure(code, message ?? `${url} could not be scraped`, {
    ...details,
    reason: code,
    ...(notBefore > now && { retryAfterMs: notBefore - now }),
  })
}

/** Whether a process fetches pages: a worker of a cluster, or a service in one process. */
const fetches = ({ role }: { role: string }): boolean => role.endsWith('-worker') || role === 'all-in-one'

/** The error at the caller's timeout. Call this before the job is cancelled. If the task waits for a retry, the error says why
 *  its last attempt failed. */
export async function failureWhenLate(
  parts: Pick<ServerParts, 'engine' | 'store' | 'fleet' | 'clock'>,
  jobId: string,
  describe: (why: string) => string,
  details: Record<string, unknown> = {},
): Promise<Failure> {
  const task = await parts.store.tasks.get(jobId, 1)
  if (!task || !hasFailedAttempt(task))
    return new Failure('task.deadline', describe(await whyLate(parts, jobId, task)), details)
  const now = parts.clock.now()
  return taskFailure({ ...task, notBefore: Math.max(task.notBefore, now + soonestRetryMs) }, now, details)
}

/** Shortest Retry-After in milliseconds. It is needed, because the time of the retry may have just passed. */
const soonestRetryMs = 1_000

const hasFailedAttempt = ({ state, reason }: Task): boolean =>
  state === 'pending' && reason !== null && reason in failures && reason !== 'fetch.timeout'

async function whyLate(
  { engine, fleet }: Pick<ServerParts, 'engine' | 'fleet'>,
  jobId: string,
  task: Task | null,
): Promise<string> {
  if (!task) return 'the task was not accepted yet'
  if (task.state === 'pending' && task.message) return task.message
  if (!fleet().workers.some(fetches)) return 'no worker has started yet'
  const wait = (await engine.progress(jobId).catch(() => null))?.waiting[0]
  const isRequested = wait === undefined || wait.reason === 'in-flight'
  if (isRequested) return `${task.host} has not completed its response`
  return wait.reason === 'robots'
    ? `${task.host} has not answered the request for its robots.txt`
    : `${task.host} must wait (${wait.reason})`
}
