// Decides after a delivery attempt: done, retry later, or dead.
import type { WebhookAttempt } from '../model/webhook.ts'

/** The wait before each retry. The short waits cover a restart of the receiver. The last wait gives people a day to repair the
 *  receiver. */
export const retryWaitsMs = [
  2_000, 4_000, 8_000, 300_000, 3_600_000, 21_600_000, 86_400_000,
] as const satisfies number[]

export type Tried = Omit<WebhookAttempt, 'attempt'> & {
  /** Whether retries are useless, because the receiver is gone or must not be requested. */
  isFinal?: boolean
}

type AfterTry = { state: 'delivered' | 'dead' } | { state: 'pending'; nextAt: number }

/** The next state of a webhook. `attempts` is the number of earlier attempts. The wait starts at the end of this attempt. */
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
