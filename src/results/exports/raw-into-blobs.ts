// Raw pages as Parquet among the job's other results: `jobs/{job_id}/raw/domain=…/date=…/part-N.parquet`.
import { createReadStream } from 'node:fs'
import { glob, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Job } from '../../model/job.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { jobPrefix } from '../keys.ts'
import { exportRaw } from './export-raw.ts'
import type { ExportParts } from './source.ts'

/** The files are made in `folder` and removed there. Idempotent: parts of an earlier end that are no longer made are deleted. */
export async function exportRawIntoBlobs(parts: ExportParts, job: Job, folder: string): Promise<void> {
  const { blobs } = parts
  await exportRaw(parts, job, folder)
  const prefix = `${jobPrefix(job.id)}raw/`
  const written = new Set<string>()
  for await (const path of glob('domain=*/date=*/part-*.parquet', { cwd: folder })) {
    const key = `${prefix}${path.replaceAll(sep, '/')}`
    await blobs.putStream(key, createReadStream(join(folder, path)) as AsyncIterable<Uint8Array>)
    written.add(key)
  }
  await deleteOthers(blobs, prefix, written)
  await rm(folder, { recursive: true, force: true })
}

async function deleteOthers(blobs: Blobs, prefix: string, written: ReadonlySet<string>): Promise<void> {
  const stale: string[] = []
  for await (const { key } of blobs.list(prefix)) if (!written.has(key)) stale.push(key)
  if (stale.length > 0) await blobs.delete(stale)
}
