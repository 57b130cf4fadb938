// Filters the discoveries of a group: drops those of settlements whose lease was lost.
import type { CommitGroup, Discovery, Settlement } from '../ports/store.ts'

type Attempted = Pick<Settlement, 'jobId' | 'n' | 'attempt'>

export function keptDiscoveries(
  { settlements, discovered }: CommitGroup,
  kept: readonly Attempted[],
): Discovery[] {
  const settled = new Set(settlements.map(attemptKey))
  // A group may contain the same attempt twice. The lease is valid only for the first of the two, so only the first keeps
  // its discoveries.
  const left = new Set(kept.map(attemptKey))
  return discovered.filter(found => !settled.has(attemptKey(found)) || left.delete(attemptKey(found)))
}

const attemptKey = ({ jobId, n, attempt }: Attempted): string => `${jobId} ${n} ${attempt}`
