// Adapts the spec of a moved job to the target: seals secrets with the target's key, and makes source files reachable there.
import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { fileSource } from '../../jobs/row-source.ts'
import { hasEnded, type IngestProgress, type Job, type JobSpec } from '../../model/job.ts'
import { openHeaders, sealHeaders } from '../submit/sealed-headers.ts'
import { uploadKeyOf } from '../submit/uploads.ts'
import type { MoveParts } from './move-parts.ts'

export const reseal = <Spec extends { headers?: unknown }>(
  { from, to }: Pick<MoveParts, 'from' | 'to'>,
  owner: string,
  spec: Spec,
): Spec => sealHeaders(to.sealer, owner, openHeaders(from.sealer, owner, spec))

/** The spec and ingest progress for the target. Secrets of every job are sealed again. The output and the source change
 *  only for unfinished jobs. */
export async function specThere(
  parts: MoveParts,
  job: Job,
): Promise<{ spec: JobSpec; ingest: IngestProgress }> {
  const spec = reseal(parts, job.id, job.spec)
  if (hasEnded(job.state)) return { spec, ingest: job.ingest }
  if (spec.cookiesFile)
    parts.complain(
      `job ${job.id} reads cookies from ${spec.cookiesFile}: every worker needs that file at the same path`,
    )
  return withSource(parts, job, { ...spec, output: outputsThere(parts, job) })
}

function outputsThere({ complain }: MoveParts, { id, spec }: Job): JobSpec['output'] {
  for (const { path } of spec.output)
    complain(
      path === '-'
        ? `job ${id} wrote to standard output, which ends with the move: get its records with \`kscrape jobs export ${id}\``
        : `job ${id} writes ${path}: the coordinator writes the whole file again on its own machine`,
    )
  return spec.output.filter(({ path }) => path !== '-')
}

/** Turns a source file that is not completely read into an upload, which every process of the target can read. */
async function withSource(
  parts: MoveParts,
  { id, workspace, ingest }: Job,
  spec: JobSpec,
): Promise<{ spec: JobSpec; ingest: IngestProgress }> {
  const { source } = ingest
  if (ingest.done || source === null || spec.uploadId !== undefined) return { spec, ingest }
  if (!existsSync(source)) {
    parts.complain(
      `job ${id}: the source file ${source} does not exist, so the job processes only the rows that were already read`,
    )
    return { spec, ingest }
  }
  const uploadId = `import-${id}`.slice(0, 128)
  const blobKey = uploadKeyOf(uploadId, basename(source))
  await enterUpload(parts, { id: uploadId, blobKey, workspace, fileName: basename(source) }, source)
  return { spec: { ...spec, uploadId }, ingest: { ...ingest, source: blobKey } }
}

const dayMs = 86_400_000

/** Creates an upload. The entry in the store must come first, because a file without an entry would be deleted. */
async function enterUpload(
  { to, now }: MoveParts,
  upload: { id: string; blobKey: string; workspace: string; fileName: string },
  source: string,
): Promise<void> {
  const known = await to.store.uploads.get(upload.id)
  if (known?.completedAt) return
  const createdAt = now()
  if (!known)
    await to.store.uploads.create({ ...upload, keyId: null, createdAt, expiresAt: createdAt + dayMs })
  await to.blobs.putStream(upload.blobKey, fileSource(source).open())
  await to.store.uploads.complete(upload.id, { bytes: statSync(source).size, at: now() })
}
