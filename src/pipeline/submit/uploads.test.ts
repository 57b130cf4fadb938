// Tests uploads: an upload is complete when its file exists, only its workspace can read it, and it is deleted if the file never
// arrives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, type TestContext } from '../../../test/support/coordination.ts'
import type { NewUpload } from '../../model/upload.ts'
import { ingestLocally } from './ingest-job.ts'
import {
  dropStaleUploads,
  dropUpload,
  incomingKeyOf,
  ownedUpload,
  readerOf,
  seenUpload,
  type UploadParts,
  uploadKeyOf,
  uploadSource,
} from './uploads.ts'

const partsOf = ({ context, blobs, clock }: TestContext, maxUploadBytes = 0): UploadParts => ({
  ...{ store: context.store, blobs, clock },
  maxUploadBytes,
})

async function newUpload(
  { context, clock }: TestContext,
  id: string,
  fileName = 'urls.txt',
): Promise<NewUpload> {
  const upload = {
    ...{ id, fileName, workspace: 'team', keyId: null, blobKey: uploadKeyOf(id, fileName) },
    ...{ createdAt: clock.now(), expiresAt: clock.now() + 1_000 },
  }
  await context.store.uploads.create(upload)
  return upload
}

test('reading the state of an upload detects a file that its client sent directly to the bucket', async () => {
  await using here = await openTestContext()
  const parts = partsOf(here)
  const { blobKey } = await newUpload(here, 'u1')
  await assert.rejects(uploadSource(parts, 'team', 'u1'), {
    code: 'upload.incomplete',
    message: /^upload_id: .*PUT its file first/,
  })
  await here.blobs.put(blobKey, Buffer.from('https://a.example/\n'))
  assert.equal(await uploadSource(parts, 'team', 'u1'), blobKey)
  const { bytes, completedAt } = await ownedUpload(parts, 'team', 'u1')
  assert.deepEqual([bytes, completedAt], [19, here.clock.now()])
  await assert.rejects(uploadSource(parts, 'others', 'u1'), { code: 'upload.unknown' })
  assert.equal(await uploadSource(parts, 'team', undefined), undefined)
})

test('a second PUT to the same signed URL does not change the rows of an upload that is complete', async () => {
  await using here = await openTestContext()
  const parts = partsOf(here)
  const { blobKey } = await newUpload(here, 'u1')
  await here.blobs.put(incomingKeyOf(blobKey), Buffer.from('https://a.example/\n'))
  assert.equal(await uploadSource(parts, 'team', 'u1'), blobKey)
  await here.blobs.put(incomingKeyOf(blobKey), Buffer.from('https://b.example/\n'))
  assert.equal(await uploadSource(parts, 'team', 'u1'), blobKey)
  assert.equal(String(await here.blobs.get(blobKey)), 'https://a.example/\n')
  await dropUpload(parts, await ownedUpload(parts, 'team', 'u1'))
  assert.deepEqual([...here.blobs.objects.keys()], [])
})

test('a file above the limit that was sent directly to the bucket is deleted', async () => {
  await using here = await openTestContext()
  const { blobKey } = await newUpload(here, 'u1')
  await here.blobs.put(blobKey, Buffer.from('https://a.example/\n'))
  await assert.rejects(uploadSource(partsOf(here, 10), 'team', 'u1'), { code: 'request.too-large' })
  assert.equal(await here.blobs.size(blobKey), null)
})

test('an upload counts as in use until its rows are read from the blob store', async () => {
  await using here = await openTestContext()
  const parts = partsOf(here)
  const { blobKey } = await newUpload(here, 'u1', 'rows.csv')
  await here.blobs.put(blobKey, Buffer.from('url\nhttps://a.example/\nnonsense\n'))
  const running = await here.adopt(
    { uploadId: 'u1' },
    { source: blobKey, origin: { face: 'jobs', workspace: 'team' } },
  )
  const upload = await ownedUpload(parts, 'team', 'u1')
  assert.equal((await readerOf(parts, upload))?.id, running.id)
  await ingestLocally(here.context, running)
  assert.deepEqual([running.job.ingest.rows, running.job.ingest.rejected, running.open], [2, 1, 1])
  assert.equal(await readerOf(parts, upload), null)
})

test('an upload that never arrived is deleted a day after its expiry, with orphaned files', async () => {
  await using here = await openTestContext()
  const parts = partsOf(here)
  await newUpload(here, 'never')
  const came = await newUpload(here, 'came')
  await here.blobs.put(came.blobKey, Buffer.from('x'))
  await here.blobs.put('uploads/nobody/rows.txt', Buffer.from('x'))
  await here.blobs.put('jobs/a/page', Buffer.from('x'))

  assert.equal(await dropStaleUploads(parts), 1)
  assert.ok(await here.context.store.uploads.get('never'))
  here.clock.advance(86_400_000 + 1_000)
  assert.equal(await dropStaleUploads(parts), 1)

  assert.equal(await here.context.store.uploads.get('never'), null)
  assert.equal((await seenUpload(parts, await ownedUpload(parts, 'team', 'came'))).bytes, 1)
  assert.deepEqual([...here.blobs.objects.keys()].sort(), ['jobs/a/page', came.blobKey])
})

test('whatever the file name of an upload, its key is a plain path with the same extension', () => {
  assert.equal(uploadKeyOf('u', 'a b&c.CSV.gz'), 'uploads/u/a_b_c.CSV.gz')
  assert.equal(uploadKeyOf('u', '...'), 'uploads/u/file')
  assert.match(uploadKeyOf('u', `${'ü'.repeat(250)}.json`), /^uploads\/u\/_+\.json$/)
  assert.equal(uploadKeyOf('u', 'x.kscrape-tmp'), 'uploads/u/x.kscrape-tmp_')
})
