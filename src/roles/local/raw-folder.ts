// The folder for exported raw pages. It belongs to one job.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../model/failures.ts'
import { claimName, runOf } from '../../results/exports/raw-state.ts'

/** Creates the folder. Refuses a folder that contains anything but an export of this job. */
export async function claimRawFolder(folder: string, jobId: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  if (names.length === 0 || (await ownerOf(folder, names)) === jobId) return
  throw new Failure(
    'input.invalid',
    `${folder} contains other files than raw pages of job ${jobId}: choose an empty folder`,
    { folder, jobId },
  )
}

/** Marks the folder as an export of this job. Used for files that a service exports, because the state of such an
 *  export stays in the service. */
export const markRawFolder = (folder: string, jobId: string): Promise<void> =>
  writeFile(join(folder, claimName), `${JSON.stringify({ jobId })}\n`)

async function ownerOf(folder: string, names: readonly string[]): Promise<string | null> {
  const name = names.findLast(each => runOf(each) !== null)
  if (name === undefined) return null
  try {
    return (JSON.parse(await readFile(join(folder, name), 'utf8')) as { jobId?: string }).jobId ?? null
  } catch {
    return null
  }
}
