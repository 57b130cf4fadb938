// What a bucket says that it keeps, held against what was sent: a page counts as kept only when all of it is.
import { createHash } from 'node:crypto'
import type { PutObjectCommandOutput } from '@aws-sdk/client-s3'
import { Failure } from '../../model/failures.ts'

const md5Tag = /^"?([0-9a-f]{32})"?$/

type Kept = Pick<PutObjectCommandOutput, 'ETag' | 'ServerSideEncryption' | 'SSECustomerAlgorithm'>

/** The tag of an object, or of a part of one, is the MD5 of its bytes, except where the server encrypts it with a key of its own. */
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
