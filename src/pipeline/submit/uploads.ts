// Uploads: when one is complete, which jobs read it, and when it is deleted.
import { isTemporary } from '../../lib/blob-keys.ts'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import type { Upload } from '../../model/upload.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

export interface UploadParts {
  store: Store
  blobs: Blobs
  clock: Clock
  /** 0 for no limit. */
  maxUploadBytes: number
}

/** The upload, if it exists and belongs to the workspace. */
export async function ownedUpload(
  { store }: Pick<UploadParts, 'store'>,
  workspace: string,
  uploadId: string,
): Promise<Upload> {
  const upload = await store.uploads.get(uploadId)
  if (upload && upload.workspace === workspace) return upload
  throw new Failure('upload.unknown', `there is no upload "${uploadId}"; GET /uploads lists all uploads`, {
    uploadId,
  })
}

/** The current state of an upload. Detects files that were sent directly to the blob store, or that arrived just before a
 *  crash. A file is complete or absent. */
export async function seenUpload(parts: UploadParts, upload: Upload): Promise<Upload> {
  if (upload.completedAt !== null) return upload
  const { blobs, maxUploadBytes } = parts
  const sent = await blobs.size(incomingKeyOf(upload.blobKey))
  const bytes = sent ?? (await blobs.size(upload.blobKey))
  if (bytes === null) return upload
  if (maxUploadBytes > 0 && bytes > maxUploadBytes) {
    await dropUpload(parts, upload)
    throw tooLarge(maxUploadBytes)
  }
  if (sent !== null) await settle(blobs, upload.blobKey)
  await parts.store.uploads.complete(upload.id, { bytes, at: parts.clock.now() })
  return (await parts.store.uploads.get(upload.id)) ?? upload
}

/** Two requests may detect the same file. The second finds it moved. */
async function settle(blobs: Blobs, blobKey: string): Promise<void> {
  await blobs.move(incomingKeyOf(blobKey), blobKey).catch(async error => {
    if ((await blobs.size(blobKey)) === null) throw error
  })
}

export const tooLarge = (maxBytes: number): Failure =>
  new Failure(
    'request.too-large',
    `the file is larger than the ${maxBytes} bytes that an upload may have here (SCRAPER_MAX_UPLOAD_BYTES)`,
    { maxBytes },
  )

/** The rows of a job's upload, for `SubmitOptions.source`; undefined if the job has no upload. */
export async function uploadSource(
  parts: UploadParts,
  workspace: string,
  uploadId: string | undefined,
): Promise<string | undefined> {
  if (uploadId === undefined) return undefined
  const path = 'upload_id'
  const upload = await ownedUpload(parts, workspace, uploadId).catch(error => {
    throw error instanceof Failure ? new Failure(error.code, `upload_id: ${error.message}`, { path }) : error
  })
  const { completedAt, blobKey } = await seenUpload(parts, upload)
  if (completedAt !== null) return blobKey
  throw new Failure(
    'upload.incomplete',
    `upload_id: upload "${uploadId}" is not complete; PUT its file first`,
    { path },
  )
}

/** Safe if the process is killed between the two steps: `dropStaleUploads` finds files without an upload. */
export async function dropUpload({ store, blobs }: UploadParts, { id, blobKey }: Upload): Promise<void> {
  await store.uploads.delete(id)
  await blobs.delete([blobKey, incomingKeyOf(blobKey)])
}

/** A job that has not read the whole upload yet. */
export async function readerOf(
  { store }: Pick<UploadParts, 'store'>,
  { id, workspace }: Upload,
): Promise<Job | null> {
  for (let cursor: string | undefined; ; ) {
    const jobs = await store.jobs.list({
      states: [...unended],
      workspace,
      limit: 100,
      ...(cursor && { cursor }),
    })
    const reader = jobs.find(({ spec, ingest }) => spec.uploadId === id && !ingest.done)
    if (reader) return reader
    cursor = jobs.at(-1)?.id
    if (cursor === undefined) return null
  }
}

const unended = ['pending', 'running', 'paused', 'finishing'] as const
const droppedAtOnce = 100
/** A file that started in time may still be on its way. */
const lateMs = 86_400_000

/** Deletes expired incomplete uploads, and files without an upload. Returns their number. */
export async function dropStaleUploads(parts: UploadParts): Promise<number> {
  const { store, blobs, clock } = parts
  let dropped = 0
  for (const upload of await store.uploads.expired(clock.now() - lateMs, droppedAtOnce)) {
    if ((await seenUpload(parts, upload)).completedAt !== null) continue
    await dropUpload(parts, upload)
    dropped += 1
  }
  for await (const { key } of blobs.list(uploadsPrefix)) {
    if (await store.uploads.get(key.split('/')[1] ?? '')) continue
    await blobs.delete([key])
    dropped += 1
  }
  return dropped
}

const uploadsPrefix = 'uploads/'

/** The extension gives the format of the rows. The rest of the name is not used in the path. */
export function uploadKeyOf(uploadId: string, fileName: string): string {
  const plain =
    fileName
      .replace(/[^\w.-]/g, '_')
      .replace(/^\.+/, '')
      .slice(-mostNameLength) || 'file'
  return `${uploadsPrefix}${uploadId}/${isTemporary(plain) ? `${plain}_` : plain}`
}

/** Where a caller sends a file directly to the blob store. The signed URL stays valid until it expires. A complete file is
 *  moved away, so that a second PUT cannot change rows that a job reads. */
export const incomingKeyOf = (blobKey: string): string => blobKey.replace(/[^/]+$/, 'incoming/$&')

const mostNameLength = 100
