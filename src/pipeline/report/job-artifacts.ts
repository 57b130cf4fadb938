// Lists the artifacts of a job, and writes them to a folder.

import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { triedPages } from '../../lib/list-pages.ts'
import { Failure } from '../../model/failures.ts'
import { taskId } from '../../model/ids.ts'
import type { KeptArtifact } from '../../model/policy/rendering.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'

export interface JobArtifact extends KeptArtifact {
  taskId: string
  n: number
  url: string
  /** The file name in the task's folder. */
  file: string
}

/** The store and blobs that contain the job. */
interface Place {
  store: Store
  blobs: Blobs
}

const pageSize = 500

/** The artifacts in the order of the tasks. A file that a later attempt overwrote is listed once. */
export async function* artifactsOf({ store }: Place, jobId: string): AsyncGenerator<JobArtifact> {
  for await (const tasks of triedPages(store.tasks, jobId, { limit: pageSize }))
    for (const { task, attempts } of tasks) {
      const { n, url } = task
      const byKey = new Map(attempts.flatMap(({ artifacts }) => artifacts).map(one => [one.key, one]))
      for (const artifact of byKey.values())
        yield { ...artifact, taskId: taskId(jobId, n), n, url, file: basename(artifact.key) }
    }
}

/** Writes a folder for each task and returns the number of files. Skips files that retention has deleted. */
export async function writeArtifacts(data: Place, jobId: string, folder: string): Promise<number> {
  let written = 0
  for await (const { key, n, file } of artifactsOf(data, jobId)) {
    const bytes = await data.blobs.get(key)
    if (bytes === null) continue
    await writeFileInto(join(folder, String(n), file), bytes)
    written++
  }
  return written
}

/** The artifact of a task by its name; null if there is none. */
export async function artifactBytes(
  { store, blobs }: Place,
  jobId: string,
  n: number,
  name: string,
): Promise<Buffer | null> {
  const attempts = await store.tasks.attempts(jobId, n)
  const kept = attempts.at(-1)?.artifacts.find(artifact => artifact.name === name)
  return kept ? blobs.get(kept.key) : null
}

export async function writeFileInto(path: string, bytes: Buffer): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new Failure('storage.failed', `${path} can't be written (${why})`, { path }, { cause })
  }
}
