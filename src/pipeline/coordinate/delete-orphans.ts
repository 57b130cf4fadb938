// Stray segments: raw pages of a process that died, or was given up, before anyone wrote down that they are there.
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { segmentsPrefix } from '../../results/keys.ts'

interface OrphanParts {
  store: Pick<Store, 'tasks'>
  blobs: Pick<Blobs, 'list' | 'delete'>
}

/** For a job without open tasks: whoever comes with a page now is too late, so what nobody speaks of stays that way. */
export async function deleteOrphanSegments(parts: OrphanParts, jobId: string): Promise<void> {
  const there = await Array.fromAsync(parts.blobs.list(segmentsPrefix(jobId)), ({ key }) => key)
  await dropUnspoken(parts, jobId, there)
}

/** Of these segments, those that no attempt speaks of. The caller knows that none will. */
export async function dropUnspoken(
  { store, blobs }: OrphanParts,
  jobId: string,
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return
  const spokenOf = new Set(await store.tasks.rawKeys(jobId))
  const strays = keys.filter(key => !spokenOf.has(key))
  if (strays.length > 0) await blobs.delete(strays)
}
