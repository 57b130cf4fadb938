// Tests the key layout `{job_id}/…` in the bucket. Keys inside the program do not change.
import assert from 'node:assert/strict'
import test from 'node:test'
import { gunzipSync } from 'node:zlib'
import { withFlatKeys } from '../../src/adapters/s3/flat-keys.ts'
import { readItemPage, writeItem } from '../../src/results/items.ts'
import { pageOf } from '../support/finished-job.ts'
import { MapBlobs } from '../support/results-parts.ts'

const outcome = (body: string) => ({
  ...{ jobId: 'test-001', n: 1, itemId: 'item-1', url: 'https://a.example/', attempt: 1, records: [] },
  ...{ state: 'succeeded' as const, reason: 'ok' as const, message: null },
  page: { ...pageOf({ url: 'https://a.example/' }), body: Buffer.from(body) },
})

test('an item is stored under flat keys, compressed above 1 KB, and is read back', async () => {
  const bucket = new MapBlobs()
  const blobs = withFlatKeys(bucket)
  for (const body of ['<p>small', `<p>${'large '.repeat(500)}`, '<p>small again']) {
    const ref = await writeItem(blobs, outcome(body))
    assert.deepEqual([...bucket.objects.keys()].sort(), [
      'test-001/items/item-1/data.json',
      'test-001/items/item-1/html.html',
      'test-001/items/item-1/metadata.json',
      'test-001/manifests/items/item-1.json',
    ])
    const kept = bucket.objects.get('test-001/items/item-1/html.html')!
    assert.equal((body.length > 1_024 ? gunzipSync(kept) : kept).toString(), body)
    assert.equal((await readItemPage(blobs, ref!)).body.toString(), body)
  }
  const { files } = JSON.parse(bucket.objects.get('test-001/manifests/items/item-1.json')!.toString())
  assert.equal(files.html, 'test-001/items/item-1/html.html')
})

test('objects without a job are stored separately, and each folder lists only its own objects', async () => {
  const bucket = new MapBlobs()
  const blobs = withFlatKeys(bucket)
  await blobs.put('uploads/u/file', Buffer.from('x'))
  const ref = await blobs.append('jobs/one/segments/run', Buffer.from('page'))
  assert.match(ref.key, /^jobs\/one\/segments\//)
  assert.equal((await blobs.read(ref)).toString(), 'page')
  const keysOf = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key)
  assert.deepEqual(await keysOf('jobs/'), [ref.key])
  assert.deepEqual(await keysOf('jobs/one/'), [ref.key])
  assert.deepEqual(await keysOf('uploads/'), ['uploads/u/file'])
  assert.deepEqual([...bucket.objects.keys()].sort(), [
    '.kscrape/uploads/u/file',
    ref.key.slice('jobs/'.length),
  ])
  await blobs.delete(await keysOf(''))
  assert.equal(bucket.objects.size, 0)
})
