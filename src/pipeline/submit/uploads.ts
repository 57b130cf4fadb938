// Uploads between the face that takes them and the jobs that read them: when one is complete, and when it may go.
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

/** The upload, if it is there and theirs. */
export async function ownedUpload(
  { store }: Pick<UploadParts, 'store'>,
  workspace: string,
  uploadId: string,
): Promise<Upload> {
  const upload = await store.uploads.get(uploadId)
  if (upload && upload.workspace === workspace) return upload
  throw new Failure(
    'upload.unknown',
    `there is no upload "${uploadId}"; GET /uploads lists those there are`,
    {
      uploadId,
    },
  )
}

/**
 * The upload as it is now. A file that went straight to the blob store, or came in just before a kill, is noticed here: it is
 * whole or not there at all.
 */
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

/** Two requests may notice the same file: the second finds it moved. */
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

/** Where the rows of a job's upload are, for `SubmitOptions.source`; undefined for a job that names none. */
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

/** Also when a kill comes between the two: a file that nobody knows of is found by `dropStaleUploads`. */
export async function dropUpload({ store, blobs }: UploadParts, { id, blobKey }: Upload): Promise<void> {
  await store.uploads.delete(id)
  await blobs.delete([blobKey, incomingKeyOf(blobKey)])
}

/** A job that has not read all of it yet. */
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
/** A file that began to come in time may still be on its way. */
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

/** The name tells the format to whoever reads the rows; what else is in it is nobody's business in a path. */
export function uploadKeyOf(uploadId: string, fileName: string): string {
  const plain =
    fileName
      .replace(/[^\w.-]/g, '_')
      .replace(/^\.+/, '')
      .slice(-mostNameLength) || 'file'
  return `${uploadsPrefix}${uploadId}/${isTemporary(plain) ? `${plain}_` : plain}`
}

/**
 * Where a caller sends a file that goes straight to the blob store. A signed URL may be used again until it expires, so a file that is
 * complete moves away from it: no second PUT changes rows under a job that reads them.
 */
export const incomingKeyOf = (blobKey: string): string => blobKey.replace(/[^/]+$/, 'incoming/$&')

const mostNameLength = 100
