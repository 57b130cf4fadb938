// The folder that raw pages are exported to: it belongs to one job, and an earlier export of it is replaced.
import { glob, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../model/failures.ts'

const marker = '_kscrape.json'

/** Makes the folder ready, or refuses one that holds something else. */
export async function claimFolder(folder: string, jobId: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  const owner = names.includes(marker)
    ? JSON.parse(await readFile(join(folder, marker), 'utf8')).job_id
    : null
  if (names.length > 0 && owner !== jobId) throw notOurs(folder, jobId)
  // Whole or half, they are of an earlier export of the same job, perhaps with more parts than there will be now.
  for await (const part of glob('domain=*/date=*/part-*.parquet*', { cwd: folder })) {
    await rm(join(folder, part), { force: true })
  }
  await writeFile(join(folder, marker), `${JSON.stringify({ job_id: jobId })}\n`)
}

/** Where the pages of a host and day go, below the folder. */
export function partitionOf(url: string, fetchedAt: number): string {
  const domain = encodeURIComponent(URL.parse(url)?.hostname || 'unknown')
  return join(`domain=${domain}`, `date=${new Date(fetchedAt).toISOString().slice(0, 10)}`)
}

const notOurs = (folder: string, jobId: string): Failure =>
  new Failure(
    'input.invalid',
    `${folder} holds something other than raw pages of job ${jobId}: choose an empty folder`,
    { folder, jobId },
  )
