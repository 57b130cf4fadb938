// Tests signed URLs of uploads: an unchanged URL is accepted, any other URL is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  checkSignature,
  type SignedQuery,
  signedQuery,
  signedQueryOf,
  type UploadTerms,
} from './signature.ts'

const key = Buffer.alloc(32, 7)
const queryOf = (terms: UploadTerms, uploadId = 'upload-1'): SignedQuery =>
  signedQuery.parse(Object.fromEntries(new URLSearchParams(signedQueryOf(key, uploadId, terms))))

const refuses = (query: SignedQuery, now = 0, uploadId = 'upload-1', other = key) =>
  assert.throws(() => checkSignature(other, uploadId, query, now), { code: 'request.forbidden' })

test('a signed upload URL is valid until it expires', () => {
  const query = queryOf({ expires: 1_000, bytes: 5, sha256: 'ab' })
  checkSignature(key, 'upload-1', query, 999)
  assert.throws(() => checkSignature(key, 'upload-1', query, 1_000), /expired at 1970-01-01T00:00:01/)
})

test('an upload URL with a changed parameter, upload id, key or signature is refused', () => {
  const query = queryOf({ expires: 1_000, bytes: 5 })
  refuses({ ...query, expires: 2_000 })
  refuses({ ...query, bytes: 6 })
  refuses({ ...query, bytes: undefined })
  refuses({ ...query, sha256: 'ab' })
  refuses(query, 0, 'upload-2')
  refuses(query, 0, 'upload-1', Buffer.alloc(32, 8))
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), signature => {
      fc.pre(signature !== query.signature)
      refuses({ ...query, signature })
    }),
  )
})
