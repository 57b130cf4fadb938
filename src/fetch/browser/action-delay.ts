// The random pause before an action, within the host's policy.
import type { HostPolicy } from '../../model/policy/policy.ts'

/** Milliseconds between the two limits of the policy, inclusive. `random` returns numbers in [0, 1). */
export function actionDelay(
  { actionDelayMs }: Pick<HostPolicy, 'actionDelayMs'>,
  random: () => number,
): number {
  const { min, max } = actionDelayMs
  return min + Math.floor(random() * (max - min + 1))
}
