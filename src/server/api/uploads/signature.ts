// The signed URL of an upload. It accepts one file, as announced, until it expires. Anyone who has the URL may use it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { Failure } from '../../../model/failures.ts'

export interface UploadTerms {
  /** When the URL expires, epoch ms. */
  expires: number
  bytes?: number | undefined
  /** The announced SHA-256 in hexadecimal. */
  sha256?: string | undefined
}

export const signedQuery = z.strictObject({
  expires: z.coerce.number().int().min(0),
  bytes: z.coerce.number().int().min(0).optional(),
  sha256: z.string().optional(),
  signature: z.string().max(100),
})
export type SignedQuery = z.output<typeof signedQuery>

export function signedQueryOf(key: Uint8Array, uploadId: string, terms: UploadTerms): string {
  const { expires, bytes, sha256 } = terms
  const query = new URLSearchParams({ expires: String(expires) })
  if (bytes !== undefined) query.set('bytes', String(bytes))
  if (sha256 !== undefined) query.set('sha256', sha256)
  query.set('signature', signature(key, uploadId, terms))
  return query.toString()
}

export function checkSignature(key: Uint8Array, uploadId: string, query: SignedQuery, now: number): void {
  const wanted = Buffer.from(signature(key, uploadId, query))
  const given = Buffer.from(query.signature)
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given))
    throw new Failure(
      'request.forbidden',
      'the signature of this URL is invalid; POST /uploads creates a new URL',
    )
  if (now >= query.expires)
    throw new Failure(
      'request.forbidden',
      `this URL expired at ${new Date(query.expires).toISOString()}; POST /uploads creates a new one`,
    )
}

const signature = (key: Uint8Array, uploadId: string, { expires, bytes, sha256 }: UploadTerms): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['PUT', uploadId, expires, bytes ?? null, sha256 ?? null]))
    .digest('base64url')
