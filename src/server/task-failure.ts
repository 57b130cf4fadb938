// A task that failed, as the answer of whoever waited for it.
import { Failure, type FailureCode, failures } from '../model/failures.ts'
import type { Task } from '../model/task.ts'

/** Tells the engine how long the caller waits. The margin lets its reason arrive before the caller's own timeout. */
export const answeredWithin = (timeoutMs: number) => ({
  answerWithinMs: Math.max(1, Math.floor(timeoutMs * 0.95)),
})

/** With `retryAfterMs` where it is known when another try may succeed. */
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
