// Deleting a job: what the store knows of it, its blobs, and the files that were made for it beside them.
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { jobPrefix } from '../results/keys.ts'
import type { DataDirectory } from '../roles/data-directory.ts'

const deletedAtOnce = 1_000

/** Where the raw pages of a job go as Parquet, when it asks for that. */
export const rawFolderOf = ({ path }: Pick<DataDirectory, 'path'>, jobId: string): string =>
  join(path, 'raw', jobId)

/** Where the files go that a job of a service asks for. */
export const exportsFolderOf = ({ path }: Pick<DataDirectory, 'path'>, jobId: string): string =>
  join(path, 'exports', jobId)

export async function deleteJobData(data: DataDirectory, jobId: string): Promise<void> {
  const { store, blobs } = data
  const source = (await store.jobs.get(jobId))?.ingest.source
  await store.jobs.delete(jobId)
  const keys: string[] = []
  for await (const { key } of blobs.list(jobPrefix(jobId))) {
    keys.push(key)
    if (keys.length >= deletedAtOnce) await blobs.delete(keys.splice(0))
  }
  await blobs.delete(keys)
  await rm(rawFolderOf(data, jobId), { recursive: true, force: true })
  await rm(exportsFolderOf(data, jobId), { recursive: true, force: true })
  // What came over stdin was kept for this job; a file of the user's own is none of ours.
  if (source && dirname(source) === data.inputs) await rm(source, { force: true })
}
