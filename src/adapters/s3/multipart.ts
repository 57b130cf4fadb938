// A large object in parts: all of them or none, whatever breaks off.
import type { S3Client } from '@aws-sdk/client-s3'

export interface LargeObject {
  Bucket: string
  Key: string
  bytes: Uint8Array
  partBytes: number
}

type Sdk = typeof import('@aws-sdk/client-s3')

export async function putInParts(sdk: Sdk, client: S3Client, object: LargeObject): Promise<void> {
  const { Bucket, Key } = object
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }))
  const upload = { Bucket, Key, UploadId }
  try {
    const Parts = await sendParts(sdk, client, object, upload)
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  } catch (error) {
    // Parts without an object are stored, and paid for, until somebody takes them away.
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => {})
    throw error
  }
}

async function sendParts(
  sdk: Sdk,
  client: S3Client,
  { bytes, partBytes }: LargeObject,
  upload: { Bucket: string; Key: string; UploadId: string | undefined },
): Promise<Array<{ ETag: string; PartNumber: number }>> {
  const parts: Array<{ ETag: string; PartNumber: number }> = []
  for (let at = 0; at < bytes.length; at += partBytes) {
    const PartNumber = parts.length + 1
    const Body = bytes.subarray(at, at + partBytes)
    const { ETag } = await client.send(new sdk.UploadPartCommand({ ...upload, PartNumber, Body }))
    parts.push({ ETag: ETag!, PartNumber })
  }
  return parts
}
