// Deletes a job: its rows in the store, its blobs, and its local files.
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { jobPrefix } from '../results/keys.ts'
import type { DataDirectory } from '../roles/data-directory.ts'

/** The folder of the output files of a job in a service. */
export const exportsFolderOf = ({ path }: Pick<DataDirectory, 'path'>, jobId: string): string =>
  join(path, 'exports', jobId)

export async function deleteJobData(data: DataDirectory, jobId: string): Promise<void> {
  const { store, blobs } = data
  const source = (await store.jobs.get(jobId))?.ingest.source
  await store.jobs.delete(jobId)
  await blobs.deleteBelow(jobPrefix(jobId))
  await rm(exportsFolderOf(data, jobId), { recursive: true, force: true })
  // Delete the source only if it is our copy of standard input. A file of the user stays.
  if (source && dirname(source) === data.inputs) await rm(source, { force: true })
}
