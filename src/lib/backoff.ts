// How long to wait before a task is tried again.
import type { Retries } from '../model/policy/policy.ts'

/** `attempt` is the number of failures so far, from 1. The wait includes jitter and never exceeds the cap. `random`
 *  returns numbers in [0, 1). */
export function backoffMs(attempt: number, policy: Retries, random: () => number): number {
  const steps = Math.max(1, attempt)
  const wanted =
    policy.strategy === 'linear' ? policy.baseMs * steps : policy.baseMs * policy.factor ** (steps - 1)
  // Leave room below the cap for the jitter, so that waits at the cap are also random.
  const wait = Math.min(wanted, policy.capMs / (1 + policy.jitter))
  return Math.round(wait * (1 + policy.jitter * (2 * random() - 1)))
}
