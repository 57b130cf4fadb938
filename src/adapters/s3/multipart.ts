// Uploads a large object in parts. Either all parts are stored or none.
import type { S3Client } from '@aws-sdk/client-s3'
import { confirmBytes } from './confirm-bytes.ts'

type Sdk = typeof import('@aws-sdk/client-s3')
type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

interface ObjectInParts {
  Bucket: string
  Key: string
  parts: Chunks
}

export async function putInParts(
  sdk: Sdk,
  client: S3Client,
  { Bucket, Key, parts }: ObjectInParts,
): Promise<void> {
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }))
  const upload = { Bucket, Key, UploadId }
  try {
    const Parts = await sendParts(sdk, client, parts, upload)
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  } catch (error) {
    // Deletes the parts, because S3 stores and charges parts of an abandoned upload.
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => {})
    throw error
  }
}

async function sendParts(
  sdk: Sdk,
  client: S3Client,
  parts: Chunks,
  upload: { Bucket: string; Key: string; UploadId: string | undefined },
): Promise<Array<{ ETag: string; PartNumber: number }>> {
  const sent: Array<{ ETag: string; PartNumber: number }> = []
  for await (const Body of parts) {
    const PartNumber = sent.length + 1
    const answer = await client.send(new sdk.UploadPartCommand({ ...upload, PartNumber, Body }))
    confirmBytes(upload, Body, answer)
    sent.push({ ETag: answer.ETag!, PartNumber })
  }
  return sent
}

/** Splits bytes into parts of equal size. As S3 requires, only the last part may be smaller. */
export async function* partsOf(chunks: Chunks, partBytes: number): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes < partBytes) continue
    const whole = Buffer.concat(waiting)
    const rest = bytes % partBytes
    for (let at = 0; at < bytes - rest; at += partBytes) yield whole.subarray(at, at + partBytes)
    waiting = rest > 0 ? [whole.subarray(bytes - rest)] : []
    bytes = rest
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}

interface UnfinishedUploads {
  Bucket: string
  prefix: string
  isWanted: (key: string) => boolean
}

/** Ends uploads below a prefix that a killed process did not finish, because S3 stores and charges their parts. Errors are
 *  ignored: if the server cannot list or end these uploads, the caller must still be able to delete objects. */
export async function abortUnfinished(
  sdk: Sdk,
  client: S3Client,
  { Bucket, prefix, isWanted }: UnfinishedUploads,
): Promise<void> {
  for await (const { Key, UploadId } of unfinished(sdk, client, { Bucket, Prefix: prefix }))
    if (Key !== undefined && isWanted(Key))
      await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => {})
}

async function* unfinished(sdk: Sdk, client: S3Client, place: { Bucket: string; Prefix: string }) {
  for (let at: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
    const command = new sdk.ListMultipartUploadsCommand({ ...place, ...at })
    const page = await client.send(command).catch(() => null)
    yield* page?.Uploads ?? []
    if (!page?.IsTruncated || page.NextKeyMarker === undefined) return
    at = {
      KeyMarker: page.NextKeyMarker,
      ...(page.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }),
    }
  }
}
