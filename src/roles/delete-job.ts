// Deleting a job: what the store knows of it, and the blobs that belong to it.
import { jobPrefix } from '../results/keys.ts'
import type { DataDirectory } from './data-directory.ts'

const deletedAtOnce = 1_000

export async function deleteJobData(
  { store, blobs }: Pick<DataDirectory, 'store' | 'blobs'>,
  jobId: string,
): Promise<void> {
  await store.jobs.delete(jobId)
  const keys: string[] = []
  for await (const { key } of blobs.list(jobPrefix(jobId))) {
    keys.push(key)
    if (keys.length >= deletedAtOnce) await blobs.delete(keys.splice(0))
  }
  await blobs.delete(keys)
}
