// Of what a group has found, what is entered: nothing that came with a settlement that is lost.
import type { CommitGroup, Discovery, Settlement } from '../ports/store.ts'

type Attempted = Pick<Settlement, 'jobId' | 'n' | 'attempt'>

export function keptDiscoveries(
  { settlements, discovered }: CommitGroup,
  kept: readonly Attempted[],
): Discovery[] {
  const settled = new Set(settlements.map(attemptKey))
  // Each once: what was done twice may come twice in one group, and one of the two is lost.
  const left = new Set(kept.map(attemptKey))
  return discovered.filter(found => !settled.has(attemptKey(found)) || left.delete(attemptKey(found)))
}

const attemptKey = ({ jobId, n, attempt }: Attempted): string => `${jobId} ${n} ${attempt}`
