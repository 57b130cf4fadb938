// Verifies an upload: a page counts as stored only if the bucket has the same bytes.
import { createHash } from 'node:crypto'
import type { PutObjectCommandOutput } from '@aws-sdk/client-s3'
import { Failure } from '../../model/failures.ts'

const md5Tag = /^"?([0-9a-f]{32})"?$/

type Kept = Pick<PutObjectCommandOutput, 'ETag' | 'ServerSideEncryption' | 'SSECustomerAlgorithm'>

/** Compares the ETag with the MD5 of the bytes. They are equal, unless the server encrypts objects with its own key. */
export function confirmBytes(
  { Bucket, Key }: { Bucket: string; Key: string },
  bytes: Uint8Array,
  { ETag = '', ServerSideEncryption, SSECustomerAlgorithm }: Kept,
): void {
  const tag = md5Tag.exec(ETag)?.[1]
  const isTelling = ServerSideEncryption === undefined || ServerSideEncryption === 'AES256'
  if (tag === undefined || !isTelling || SSECustomerAlgorithm !== undefined) return
  if (tag === createHash('md5').update(bytes).digest('hex')) return
  const message = `s3://${Bucket}/${Key} does not have the ${bytes.length} bytes that were sent; the upload is retried later`
  throw new Failure('storage.failed', message, { key: Key, tag })
}
