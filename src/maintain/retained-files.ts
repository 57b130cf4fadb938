// Finds and deletes local files of jobs: outputs of a service, copies of inputs, and temporary files of killed processes.
import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isTemporary } from '../lib/blob-keys.ts'
import type { Freed } from '../model/policy/retention.ts'
import type { DataDirectory } from '../roles/data-directory.ts'
import type { JobFiles } from './apply-retention.ts'
import { exportsFolderOf } from './delete-job.ts'

interface FoundFile {
  path: string
  bytes: number
  modifiedAt: number
}

export function jobFilesIn(data: Pick<DataDirectory, 'path' | 'blobsRoot'>): JobFiles {
  return {
    async *list() {
      for (const { name: jobId } of await entriesOf(join(data.path, 'exports'))) {
        const files = await Array.fromAsync(filesBelow(join(data.path, 'exports', jobId)))
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
        yield { jobId, bytes, modifiedAt: Math.max(0, ...files.map(file => file.modifiedAt)) }
      }
    },
    async remove(jobId) {
      await rm(exportsFolderOf(data, jobId), { recursive: true, force: true })
    },
    async dropLeftovers(before, dryRun) {
      const freed: Freed = { removed: 0, bytes: 0 }
      for await (const { path, bytes, modifiedAt } of filesBelow(data.blobsRoot)) {
        if (!isTemporary(path) || modifiedAt >= before) continue
        freed.removed += 1
        freed.bytes += bytes
        if (!dryRun) await rm(path, { force: true })
      }
      return freed
    },
  }
}

/** The entries of a folder. Empty if the folder was deleted. */
const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch(() => [])

async function* filesBelow(folder: string): AsyncGenerator<FoundFile> {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.isFile()) {
      const found = await stat(path).catch(() => null)
      if (found) yield { path, bytes: found.size, modifiedAt: found.mtimeMs }
    }
  }
}
