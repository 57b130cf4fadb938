// How long a loaded page is left alone before it is read: as asked for, or by chance within a span.
import type { Rendering } from '../../model/policy/rendering.ts'

/** Milliseconds, ends included. `random` gives numbers from 0 up to, but not, 1. */
export function restAfterLoad(waitFor: Rendering['waitFor'], random: () => number): number {
  if (typeof waitFor === 'number') return waitFor
  if (typeof waitFor !== 'object') return 0
  const { minMs, maxMs } = waitFor
  return minMs + Math.floor(random() * (maxMs - minMs + 1))
}
