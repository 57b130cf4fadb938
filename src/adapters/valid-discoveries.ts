// Filters the discoveries of a group: drops those of settlements whose lease was lost.
import type { CommitGroup, Discovery, Settlement } from '../ports/store.ts'

type Attempted = Pick<Settlement, 'jobId' | 'n' | 'attempt'>

export function keptDiscoveries(
  { settlements, discovered }: CommitGroup,
  kept: readonly Attempted[],
): Discovery[] {
  const settled = new Set(settlements.map(attemptKey))
  // The same attempt may occur twice in a group. Its lease is lost for the second one, so only the first one keeps its
  // discoveries.
  const left = new Set(kept.map(attemptKey))
  return discovered.filter(found => !settled.has(attemptKey(found)) || left.delete(attemptKey(found)))
}

const attemptKey = ({ jobId, n, attempt }: Attempted): string => `${jobId} ${n} ${attempt}`
