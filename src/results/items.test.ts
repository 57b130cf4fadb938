// Tests the items layout: the files of an item, and reading the page back from them.
import assert from 'node:assert/strict'
import test from 'node:test'
import { gunzipSync } from 'node:zlib'
import { MapBlobs, somePage, someRecord } from '../../test/support/results-parts.ts'
import { type ItemOutcome, writeItem } from './items.ts'
import { readPage } from './read-page.ts'

const outcome = (change: Partial<ItemOutcome> = {}): ItemOutcome => ({
  jobId: 'job-1',
  n: 3,
  itemId: 'parcel-9',
  url: 'https://shop.example/p/1',
  attempt: 1,
  state: 'succeeded',
  reason: 'ok',
  message: null,
  page: somePage(),
  records: [someRecord(1, { owner: 'Ada' })],
  ...change,
})
const json = async (blobs: MapBlobs, key: string) => JSON.parse((await blobs.get(key))!.toString())

test('an item has its page, data, metadata and manifest under its own name', async () => {
  const blobs = new MapBlobs()
  const raw = await writeItem(blobs, outcome())

  assert.deepEqual(
    [...blobs.objects.keys()],
    [
      'jobs/job-1/items/parcel-9/html.html',
      'jobs/job-1/items/parcel-9/data.json',
      'jobs/job-1/items/parcel-9/metadata.json',
      'jobs/job-1/manifests/items/parcel-9.json',
    ],
  )
  assert.deepEqual(await json(blobs, 'jobs/job-1/items/parcel-9/data.json'), [{ owner: 'Ada' }])
  assert.equal((await json(blobs, 'jobs/job-1/items/parcel-9/metadata.json')).page.status, 200)
  assert.equal((await json(blobs, 'jobs/job-1/manifests/items/parcel-9.json')).files.html, raw?.key)
})

test('a page over 1 KB is compressed, as its file name says, and both forms are read back complete', async () => {
  for (const length of [1_024, 1_025, 100_000]) {
    const blobs = new MapBlobs()
    const page = somePage({ body: Buffer.alloc(length, 'page ') })
    const raw = await writeItem(blobs, outcome({ page }))

    assert.equal(raw?.key.endsWith('html.html.gz'), length > 1_024)
    if (length > 1_024) assert.deepEqual(gunzipSync(blobs.objects.get(raw!.key)!), page.body)
    assert.deepEqual(await readPage(blobs, raw!), page)
  }
})

test('a second attempt of an item leaves one page, not two', async () => {
  const blobs = new MapBlobs()
  await writeItem(blobs, outcome({ page: somePage({ body: Buffer.alloc(5_000) }) }))
  await writeItem(blobs, outcome({ page: somePage({ body: Buffer.from('small') }) }))
  assert.deepEqual(
    [...blobs.objects.keys()].filter(key => key.includes('html')),
    ['jobs/job-1/items/parcel-9/html.html'],
  )
})

test('the files of a failed task are written even if it has no page or no item id', async () => {
  const blobs = new MapBlobs()
  const failed: Partial<ItemOutcome> = {
    itemId: null,
    page: null,
    records: [],
    state: 'failed',
    reason: 'fetch.timeout',
  }
  assert.equal(await writeItem(blobs, outcome({ ...failed, message: 'no answer in 5 s' })), null)

  const metadata = await json(blobs, 'jobs/job-1/items/task-3/metadata.json')
  assert.equal(metadata.message, 'no answer in 5 s')
  assert.deepEqual(await json(blobs, 'jobs/job-1/items/task-3/data.json'), [])
})

test('an item id that would leave its folder is refused', async () => {
  for (const itemId of ['../x', 'a/b', '', '.hidden', 'a..b']) {
    await assert.rejects(writeItem(new MapBlobs(), outcome({ itemId })), { code: 'input.invalid' })
  }
})
