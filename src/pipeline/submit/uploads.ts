// Uploads: when an upload is complete, which jobs read it, and when it is deleted.

import { isTemporary } from '../../lib/blob-keys.ts'
import { entriesById } from '../../lib/list-pages.ts'
import { Failure } from '../../model/failures.ts'
import { type Job, openStates } from '../../model/job.ts'
import type { Upload } from '../../model/upload.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

export interface UploadParts {
  store: Store
  blobs: Blobs
  clock: Clock
  /** Size limit of an upload in bytes. 0 means no limit. */
  maxUploadBytes: number
}

/** The upload. Throws `upload.unknown` if it does not exist or belongs to another workspace. */
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

/** The current state of an upload. It also detects files that were sent directly to the blob store, or that arrived
 *  just before a crash. A file in the blob store is always complete. */
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

/** Moves a complete file to its final key. Two requests may detect the same file; the second finds that it was moved. */
async function settle(blobs: Blobs, blobKey: string): Promise<void> {
  await blobs.move(incomingKeyOf(blobKey), blobKey).catch(async error => {
    if ((await blobs.size(blobKey)) === null) throw error
  })
}

export const tooLarge = (maxBytes: number): Failure =>
  new Failure(
    'request.too-large',
    `the file is larger than the ${maxBytes} bytes that this service allows for an upload (SCRAPER_MAX_UPLOAD_BYTES)`,
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

/** Deletes an upload and its file. If the process dies between the two steps, `dropStaleUploads` deletes the file later. */
export async function dropUpload({ store, blobs }: UploadParts, { id, blobKey }: Upload): Promise<void> {
  await store.uploads.delete(id)
  await blobs.delete([blobKey, incomingKeyOf(blobKey)])
}

/** A job that has not yet read the whole upload; null if there is none. */
export async function readerOf(
  { store }: Pick<UploadParts, 'store'>,
  { id, workspace }: Upload,
): Promise<Job | null> {
  const open = { states: [...openStates], workspace }
  for await (const job of entriesById(100, page => store.jobs.list({ ...open, ...page })))
    if (job.spec.uploadId === id && !job.ingest.done) return job
  return null
}

const droppedAtOnce = 100
/** How long after its expiry an incomplete upload is deleted. A PUT that started before the expiry may take that
 *  long. */
const lateMs = 86_400_000

/** Deletes expired incomplete uploads, and files without an upload. Returns how many were deleted. */
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

/** The blob key of an upload. It ends with a safe form of the file name, because the extension selects the format. */
export function uploadKeyOf(uploadId: string, fileName: string): string {
  const plain =
    fileName
      .replace(/[^\w.-]/g, '_')
      .replace(/^\.+/, '')
      .slice(-mostNameLength) || 'file'
  return `${uploadsPrefix}${uploadId}/${isTemporary(plain) ? `${plain}_` : plain}`
}

/** The key that a caller's signed URL writes to. The URL stays valid until it expires. So a complete file is moved to
 *  another key, and a second PUT cannot change rows that a job reads. */
export const incomingKeyOf = (blobKey: string): string => blobKey.replace(/[^/]+$/, 'incoming/$&')

const mostNameLength = 100
