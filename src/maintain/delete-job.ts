// Deletes a job: its rows in the store, its blobs, and its local files.
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { jobPrefix } from '../results/keys.ts'
import type { DataDirectory } from '../roles/data-directory.ts'

const deletedAtOnce = 1_000

/** Folder of the output files of a service's job. */
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
  await rm(exportsFolderOf(data, jobId), { recursive: true, force: true })
  // A copy of stdin belongs to the job; a file of the user is not deleted.
  if (source && dirname(source) === data.inputs) await rm(source, { force: true })
}
