// What follows from an attempt to deliver: done, again later, or given up.
import type { WebhookAttempt } from '../model/webhook.ts'

/** Waits before each further attempt: seconds for a restart, a day for someone to come and look. */
export const retryWaitsMs = [
  2_000, 4_000, 8_000, 300_000, 3_600_000, 21_600_000, 86_400_000,
] as const satisfies number[]

export type Tried = Omit<WebhookAttempt, 'attempt'> & {
  /** Asking again is of no use: the receiver says that it is gone, or it may not be asked. */
  isFinal?: boolean
}

export type AfterTry = { state: 'delivered' | 'dead' } | { state: 'pending'; nextAt: number }

/** `attempts` were made before this one. The wait counts from when it ended. */
export function afterTry(
  { error, isFinal = false, at, durationMs }: Tried,
  attempts: number,
  waitsMs: readonly number[] = retryWaitsMs,
): AfterTry {
  if (error === null) return { state: 'delivered' }
  const waitMs = waitsMs[attempts]
  if (isFinal || waitMs === undefined) return { state: 'dead' }
  return { state: 'pending', nextAt: at + durationMs + waitMs }
}
