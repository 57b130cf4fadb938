// Deletes orphan segments: raw pages of a worker that died or lost its lease before its attempts were committed.
import type { Blobs } from '../../../ports/blobs.ts'
import type { Store } from '../../../ports/store.ts'
import { segmentsPrefix } from '../../../results/keys.ts'

interface OrphanParts {
  store: Pick<Store, 'tasks'>
  blobs: Pick<Blobs, 'list' | 'delete'>
}

/** Call this only if no task of the job is open. Otherwise an attempt could still refer to a segment that looks orphaned. */
export async function deleteOrphanSegments(parts: OrphanParts, jobId: string): Promise<void> {
  const there = await Array.fromAsync(parts.blobs.list(segmentsPrefix(jobId)), ({ key }) => key)
  await dropUnreferenced(parts, jobId, there)
}

/** Deletes the given segments that no attempt refers to. The caller guarantees that no attempt will refer to them later. */
export async function dropUnreferenced(
  { store, blobs }: OrphanParts,
  jobId: string,
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return
  const spokenOf = new Set(await store.tasks.rawKeys(jobId))
  const strays = keys.filter(key => !spokenOf.has(key))
  if (strays.length > 0) await blobs.delete(strays)
}
