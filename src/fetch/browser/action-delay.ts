// The pause before an action, as long as a person might take: by the host's policy and by chance.
import type { HostPolicy } from '../../model/policy/policy.ts'

/** Milliseconds between both ends of the policy, ends included. `random` gives numbers from 0 up to, but not, 1. */
export function actionDelay(
  { actionDelayMs }: Pick<HostPolicy, 'actionDelayMs'>,
  random: () => number,
): number {
  const { min, max } = actionDelayMs
  return min + Math.floor(random() * (max - min + 1))
}
