// How long to wait before a task is tried again.
import type { Retries } from '../model/policy/policy.ts'

/** `attempt` counts the failures so far, from 1. Never above the cap, jitter included; `random` gives 0 up to 1. */
export function backoffMs(attempt: number, policy: Retries, random: () => number): number {
  const steps = Math.max(1, attempt)
  const wanted =
    policy.strategy === 'linear' ? policy.baseMs * steps : policy.baseMs * policy.factor ** (steps - 1)
  // Capped below the cap by the jitter, so that waits at the cap are spread like all the others.
  const wait = Math.min(wanted, policy.capMs / (1 + policy.jitter))
  return Math.round(wait * (1 + policy.jitter * (2 * random() - 1)))
}
