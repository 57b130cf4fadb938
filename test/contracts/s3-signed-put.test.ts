// Tests files that callers send to a signed URL, on an S3 server that checks signatures: `curl -T` as in docs/uploads.md.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openS3Blobs } from '../../src/adapters/s3/blobs.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import { startS3, type TestS3 } from '../support/services/s3.ts'
import { openSignatureDoor, type SignatureDoor } from '../support/services/s3-signatures.ts'

const content = 'url\nhttps://a.example/\n'
const sha256 = createHash('sha256').update(content).digest('hex')
const soon = { expiresInMs: 60_000 }

let s3: TestS3
let door: SignatureDoor
let blobs: Blobs
let folder: string
before(async () => {
  s3 = await startS3()
  door = await openSignatureDoor(s3.url, 'test')
  blobs = await openS3Blobs({
    ...{ endpoint: door.url, publicEndpoint: null, region: 'us-east-1', pathStyle: true },
    ...{ bucket: await s3.freshBucket(), credentials: { accessKeyId: 'test', secretAccessKey: 'test' } },
  })
  folder = await mkdtemp(join(tmpdir(), 'kscrape-curl-'))
  await writeFile(join(folder, 'rows.csv'), content)
})
after(async () => {
  await rm(folder, { recursive: true })
  for (const one of [blobs, door, s3]) await one?.[Symbol.asyncDispose]()
})

/** Returns the status of the response. */
async function curl(...args: string[]): Promise<string> {
  const flags = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', '-T', 'rows.csv', ...args]
  return (await promisify(execFile)('curl', flags, { cwd: folder })).stdout
}

test('a plain `curl -T` can upload a file to the signed URL', async () => {
  const { url, headers } = (await blobs.signedPut('uploads/a/incoming/rows.csv', soon))!
  assert.deepEqual(headers, {})
  assert.equal(await curl(url), '200')
  assert.equal(String(await blobs.get('uploads/a/incoming/rows.csv')), content)
})

test('the announced size is signed: a file of another size is refused', async () => {
  const fitting = await blobs.signedPut('uploads/b/rows.csv', { ...soon, bytes: content.length })
  assert.equal(await curl(fitting!.url), '200')
  const other = await blobs.signedPut('uploads/b/other.csv', { ...soon, bytes: content.length + 1 })
  assert.equal(await curl(other!.url), '403')
  assert.equal(door.refused.at(-1), 'SignatureDoesNotMatch')
})

test('an announced checksum is sent in the header that is returned with the URL', async () => {
  const { url, headers } = (await blobs.signedPut('uploads/c/rows.csv', { ...soon, sha256 }))!
  const [[name, value] = []] = Object.entries(headers)
  assert.equal(await curl('-H', `${name}: ${value}`, url), '200')
  assert.equal(await curl(url), '403')
})

test('a signed URL for one key is refused for another key', async () => {
  const { url } = (await blobs.signedPut('uploads/d/rows.csv', soon))!
  assert.equal(await curl(url.replace('/d/', '/e/')), '403')
  assert.equal(await blobs.size('uploads/e/rows.csv'), null)
})

test('an object is moved by a copy inside the bucket', async () => {
  await blobs.put('uploads/f/incoming/rows.csv', Buffer.from(content))
  await blobs.move('uploads/f/incoming/rows.csv', 'uploads/f/rows.csv')
  assert.equal(String(await blobs.get('uploads/f/rows.csv')), content)
})
