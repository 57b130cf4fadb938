// Decides after a delivery attempt: done, retry later, or dead.
import type { WebhookAttempt } from '../model/webhook.ts'

/** Waits before further attempts: from seconds for a restart to a day for manual repair. */
export const retryWaitsMs = [
  2_000, 4_000, 8_000, 300_000, 3_600_000, 21_600_000, 86_400_000,
] as const satisfies number[]

export type Tried = Omit<WebhookAttempt, 'attempt'> & {
  /** Retries are useless: the receiver is gone, or may not be requested. */
  isFinal?: boolean
}

type AfterTry = { state: 'delivered' | 'dead' } | { state: 'pending'; nextAt: number }

/** `attempts` were made before this one. The wait starts at its end. */
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
