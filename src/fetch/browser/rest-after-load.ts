// The pause after a load, fixed or random within a range.
import type { Rendering } from '../../model/policy/rendering.ts'

/** Milliseconds; both ends of a range are included. `random` returns numbers in [0, 1). */
export function restAfterLoad(waitFor: Rendering['waitFor'], random: () => number): number {
  if (typeof waitFor === 'number') return waitFor
  if (typeof waitFor !== 'object') return 0
  const { minMs, maxMs } = waitFor
  return minMs + Math.floor(random() * (maxMs - minMs + 1))
}
