// Tests the blob store on the S3 protocol against its contract, on a real server.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { startFauxqs } from 'fauxqs'
import { openS3Blobs, type S3Options } from '../../src/adapters/s3/blobs.ts'
import { FaultyS3, type S3Fault } from '../support/services/s3-faults.ts'
import { BucketWithUploads } from '../support/services/s3-uploads.ts'
import { blobsContract } from './blobs-contract.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
let server: Awaited<ReturnType<typeof startFauxqs>>
let buckets = 0

before(async () => {
  server = await startFauxqs({ port: 0, logger: false })
})
after(() => server.stop())

/** Each test has its own bucket, so that tests do not interfere. */
async function freshBucket(): Promise<S3Options> {
  const bucket = `bucket-${++buckets}`
  const endpoint = `http://127.0.0.1:${server.port}`
  const options = { endpoint, region: 'us-east-1', bucket, credentials, pathStyle: true }
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  return options
}

async function* piecesOf(body: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes)
}

blobsContract('the S3 protocol', async () => {
  // The parts are smaller than usual, because the test server accepts no larger bodies.
  const options = { ...(await freshBucket()), partBytes: 5 * 1_024 * 1_024 }
  const again = () => openS3Blobs(options)
  const blobs = await again()
  return { blobs, again, [Symbol.asyncDispose]: () => blobs[Symbol.asyncDispose]() }
})

describe('the S3 store', () => {
  test('a request is retried if the server fails, throttles or breaks the connection', async () => {
    const options = await freshBucket()
    await using faulty = await FaultyS3.open(options.endpoint!)
    await using blobs = await openS3Blobs({ ...options, endpoint: faulty.url })
    const wrongs: S3Fault[] = ['error', 'slow-down', 'reset']
    faulty.fault = () => wrongs.shift() ?? null
    const page = Buffer.from('a page')

    const ref = await blobs.append('segments/a', page)

    assert.equal(faulty.faults, 3)
    assert.deepEqual(await blobs.read(ref), page)
  })

  test('a truncated object causes an error, whether it is read whole, as a stream or in parts', async () => {
    const options = await freshBucket()
    await using faulty = await FaultyS3.open(options.endpoint!)
    const partBytes = 5 * 1_024 * 1_024
    await using blobs = await openS3Blobs({ ...options, endpoint: faulty.url, partBytes })
    faulty.fault = ({ method }) => (method === 'PUT' ? 'half' : null)
    const page = Buffer.from('a page')
    await assert.rejects(blobs.append('segments/a', page), { code: 'storage.failed' })
    await assert.rejects(blobs.putStream('jobs/a', piecesOf(page, 3)), { code: 'storage.failed' })
    await assert.rejects(blobs.put('uploads/a', Buffer.alloc(partBytes + 2)), { code: 'storage.failed' })
  })

  test('if reading a stored page from S3 is interrupted, the page is read from S3 again, and not requested from its site', async () => {
    const options = await freshBucket()
    await using faulty = await FaultyS3.open(options.endpoint!)
    await using blobs = await openS3Blobs({ ...options, endpoint: faulty.url })
    const page = Buffer.alloc(100_000, 'a page ')
    const ref = await blobs.append('segments/a', page)
    const wrongs: S3Fault[] = ['cut-off', 'cut-off']
    faulty.fault = () => wrongs.shift() ?? null

    assert.ok(page.equals(await blobs.read(ref)))
    wrongs.push('cut-off')
    assert.ok(page.equals((await blobs.get(ref.key))!))
    assert.equal(faulty.faults, 3)
  })

  test('deleting objects or a folder also ends uploads that a killed process left there unfinished', async () => {
    await using bucket = await BucketWithUploads.open([
      ['uploads/left', 'u1'],
      ['uploads/left-by-others', 'u2'],
      ['jobs/a/segments/s', 'u3'],
      ['jobs/ab/segments/s', 'u4'],
    ])
    const options = { endpoint: bucket.url, region: 'us-east-1', bucket: 'b', credentials, pathStyle: true }
    await using blobs = await openS3Blobs(options)

    await blobs.delete(['uploads/left', 'uploads/left.new'])
    assert.deepEqual(bucket.aborted, ['uploads/left u1'])
    await blobs.deleteBelow('jobs/a/')
    assert.deepEqual(bucket.aborted, ['uploads/left u1', 'jobs/a/segments/s u3'])
  })

  test('objects are deleted even if the server cannot list unfinished uploads', async () => {
    const options = await freshBucket()
    await using faulty = await FaultyS3.open(options.endpoint!)
    await using blobs = await openS3Blobs({ ...options, endpoint: faulty.url })
    faulty.fault = ({ url = '' }) => (/[?&]uploads\b/.test(url) ? 'denied' : null)
    await blobs.put('jobs/a/1', Buffer.from('one'))
    await blobs.deleteBelow('jobs/a/')
    assert.deepEqual([await blobs.get('jobs/a/1'), faulty.faults], [null, 1])
  })

  test('a large object is uploaded in parts and read back complete', async () => {
    const partBytes = 5 * 1_024 * 1_024
    await using blobs = await openS3Blobs({ ...(await freshBucket()), partBytes })
    const large = Buffer.alloc(partBytes * 2 + 17, 'kscrape ')

    await blobs.put('uploads/large', large)

    assert.ok(large.equals((await blobs.get('uploads/large'))!))
    assert.deepEqual(
      await blobs.read({ key: 'uploads/large', offset: partBytes - 4, length: 8 }),
      large.subarray(partBytes - 4, partBytes + 4),
    )
  })

  test('a stream is uploaded in parts, whatever the size of its chunks', async () => {
    const partBytes = 5 * 1_024 * 1_024
    await using blobs = await openS3Blobs({ ...(await freshBucket()), partBytes })
    for (const bytes of [partBytes - 1, partBytes, partBytes + 1, 2 * partBytes]) {
      const body = Buffer.alloc(bytes, 'kscrape ')
      await blobs.putStream('uploads/stream', piecesOf(body, 700_001))
      assert.ok(
        body.equals(Buffer.concat(await Array.fromAsync(blobs.openRead('uploads/stream')))),
        `${bytes}`,
      )
    }
  })

  test('a signed URL comes with the headers to send, and signing needs no request', async () => {
    const options = { ...(await freshBucket()), endpoint: 'http://127.0.0.1:1' }
    await using blobs = await openS3Blobs(options)
    const sha256 = createHash('sha256').update('one').digest('hex')
    const signed = await blobs.signedPut('uploads/a.txt', { expiresInMs: 90_000, bytes: 3, sha256 })
    const query = new URL(signed!.url).searchParams
    assert.equal(query.get('X-Amz-Expires'), '90')
    assert.deepEqual(query.get('X-Amz-SignedHeaders')?.split(';'), [
      'content-length',
      'host',
      'x-amz-checksum-sha256',
    ])
    assert.deepEqual(signed!.headers, {
      'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
    })
  })

  test('a signed URL uses the public endpoint, and the uploaded object can be read', async () => {
    const publicEndpoint = `http://localhost:${server.port}`
    await using blobs = await openS3Blobs({ ...(await freshBucket()), publicEndpoint })
    const signed = await blobs.signedPut('uploads/a.txt', { expiresInMs: 90_000 })
    assert.equal(new URL(signed!.url).origin, publicEndpoint)
    const sent = await fetch(signed!.url, { method: 'PUT', headers: signed!.headers, body: 'one' })
    assert.equal(sent.status, 200)
    assert.equal(await blobs.size('uploads/a.txt'), 3)
    const terms = { expiresInMs: 90_000, fileName: 'a.txt', type: 'text/plain' }
    const url = (await blobs.signedGet('uploads/a.txt', terms))!
    assert.equal(new URL(url).origin, publicEndpoint)
    assert.equal(await (await fetch(url)).text(), 'one')
  })

  test('more than a thousand keys are listed and deleted', async () => {
    await using blobs = await openS3Blobs(await freshBucket())
    const keys = Array.from({ length: 1_005 }, (_, i) => `jobs/many/${String(i).padStart(4, '0')}`)
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(keys.slice(at, at + 50).map(key => blobs.put(key, Buffer.from('x'))))

    assert.deepEqual(
      (await Array.fromAsync(blobs.list('jobs/'))).map(({ key }) => key),
      keys,
    )
    await blobs.delete(keys)

    assert.deepEqual(await Array.fromAsync(blobs.list('')), [])
  })

  test('the error for a missing bucket names the bucket and the setting', async () => {
    await using blobs = await openS3Blobs({ ...(await freshBucket()), bucket: 'nobody-made-this' })

    await assert.rejects(blobs.put('a', Buffer.from('x')), {
      code: 'storage.failed',
      message: /s3:\/\/nobody-made-this\/a .*set S3_BUCKET/,
    })
  })
})
