// Signed URLs for callers without credentials: a PUT of one announced object, or a GET of one object, until they expire.
import type { S3Client } from '@aws-sdk/client-s3'
import { loadFor } from '../../lib/optional-packages.ts'
import type { SignedGetTerms, SignedPut, SignedPutTerms } from '../../ports/blobs.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

/** Signed as headers, because S3 does not check these values as query parameters. */
const checkedHeaders = new Set(['x-amz-checksum-sha256', 'content-length'])

export async function signPut(
  sdk: Sdk,
  client: S3Client,
  place: { Bucket: string; Key: string },
  { expiresInMs, bytes, sha256 }: SignedPutTerms,
): Promise<SignedPut> {
  const { getSignedUrl } = await loadFor('cluster', () => import('@aws-sdk/s3-request-presigner'))
  const checksum = sha256 === undefined ? null : Buffer.from(sha256, 'hex').toString('base64')
  const command = new sdk.PutObjectCommand({
    ...place,
    ...(bytes !== undefined && { ContentLength: bytes }),
    ...(checksum !== null && { ChecksumSHA256: checksum }),
  })
  const url = await getSignedUrl(client, command, {
    expiresIn: Math.ceil(expiresInMs / 1_000),
    unhoistableHeaders: checkedHeaders,
    signableHeaders: new Set(['host', ...checkedHeaders]),
  })
  // Without a checksum, the caller needs no headers: `curl -T` is enough.
  return { url, headers: { ...(checksum !== null && { 'x-amz-checksum-sha256': checksum }) } }
}

/** A GET URL that downloads the object under this file name. */
export async function signGet(
  sdk: Sdk,
  client: S3Client,
  place: { Bucket: string; Key: string },
  { expiresInMs, fileName, type }: SignedGetTerms,
): Promise<string> {
  const { getSignedUrl } = await loadFor('cluster', () => import('@aws-sdk/s3-request-presigner'))
  const command = new sdk.GetObjectCommand({
    ...place,
    ResponseContentDisposition: `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
    ResponseContentType: type,
  })
  return getSignedUrl(client, command, { expiresIn: Math.ceil(expiresInMs / 1_000) })
}
