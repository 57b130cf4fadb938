// Verifies what a bucket stored: a page counts as stored only if all bytes match.
import { createHash } from 'node:crypto'
import type { PutObjectCommandOutput } from '@aws-sdk/client-s3'
import { Failure } from '../../model/failures.ts'

const md5Tag = /^"?([0-9a-f]{32})"?$/

type Kept = Pick<PutObjectCommandOutput, 'ETag' | 'ServerSideEncryption' | 'SSECustomerAlgorithm'>

/** The ETag of an object or part is its MD5, unless the server encrypts it with its own key. */
export function confirmBytes(
  { Bucket, Key }: { Bucket: string; Key: string },
  bytes: Uint8Array,
  { ETag = '', ServerSideEncryption, SSECustomerAlgorithm }: Kept,
): void {
  const tag = md5Tag.exec(ETag)?.[1]
  const isTelling = ServerSideEncryption === undefined || ServerSideEncryption === 'AES256'
  if (tag === undefined || !isTelling || SSECustomerAlgorithm !== undefined) return
  if (tag === createHash('md5').update(bytes).digest('hex')) return
  const message = `s3://${Bucket}/${Key} holds other bytes than the ${bytes.length} that were sent: it is sent again later`
  throw new Failure('storage.failed', message, { key: Key, tag })
}
