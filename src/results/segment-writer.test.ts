// Tests segments: one append per batch, and each page is readable by its own range.
import assert from 'node:assert/strict'
import test from 'node:test'
import { WARCParser } from 'warcio'
import { MapBlobs, somePage } from '../../test/support/results-parts.ts'
import { Failure } from '../model/failures.ts'
import { segmentName } from './keys.ts'
import { readPage, readRun } from './read-page.ts'
import { SegmentWriter } from './segment-writer.ts'
import { unpack } from './unpack.ts'
import { asked } from './warc-exchanges.ts'

const name = segmentName('job-1', 'run-1')
const pageNumber = (n: number) =>
  somePage({ finalUrl: `https://shop.example/${n}`, body: Buffer.from(`<p>page ${n}`) })

test('the pages of a batch are written with one append, and each page is read back with one range read', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, name)
  const first = [1, 2, 3].map(n => writer.add(pageNumber(n)))
  await writer.flush()
  const second = [4, 5].map(n => writer.add(pageNumber(n)))
  await writer.flush()

  assert.equal(blobs.appends, 2)
  for (const [index, pending] of [...first, ...second].entries()) {
    assert.deepEqual(await readPage(blobs, pending.ref), pageNumber(index + 1))
  }
  assert.equal(blobs.reads, 5)
})

test('every object starts with the name of its writer and is complete WARC', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, name, { software: 'kscrape/9' })
  for (const n of [1, 2]) {
    writer.add(pageNumber(n))
    await writer.flush()
  }

  const types = []
  for await (const record of new WARCParser([...blobs.objects.values()].map(unpack)))
    types.push(record.warcType)
  assert.deepEqual(types, ['warcinfo', 'response', 'warcinfo', 'response'])
})

test('a page gets its position after its batch is durable, and no position if the batch failed', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, name)
  blobs.refuse = new Failure('storage.full', 'no space')
  const lost = writer.add(pageNumber(1))
  assert.throws(() => lost.ref, { code: 'storage.failed' })
  await assert.rejects(writer.flush(), { code: 'storage.full' })
  assert.throws(() => lost.ref, { code: 'storage.failed' })

  blobs.refuse = null
  const kept = writer.add(pageNumber(2))
  await writer.flush()
  assert.deepEqual(await readPage(blobs, kept.ref), pageNumber(2))
})

test('an empty flush writes nothing', async () => {
  const blobs = new MapBlobs()
  await new SegmentWriter(blobs, name).flush()
  assert.equal(blobs.appends, 0)
})

test('all pages of a scraper run share one reference, which points to the last page', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, name)
  writer.add(pageNumber(1))
  const request = { method: 'POST', url: 'https://shop.example/find', headers: [], bodyDigest: 'sha256:ab' }
  const run = writer.addRun([asked(pageNumber(2)), { request, page: pageNumber(3) }])
  const after = writer.add(pageNumber(4))
  await writer.flush()

  assert.deepEqual(await readPage(blobs, run.ref), pageNumber(3))
  assert.deepEqual(await readPage(blobs, after.ref), pageNumber(4))
  const exchanges = await readRun(blobs, run.ref)
  assert.deepEqual(
    exchanges.map(({ page }) => page),
    [pageNumber(2), pageNumber(3)],
  )
  assert.deepEqual(exchanges[1]!.request, request)
  assert.deepEqual(await readRun(blobs, after.ref), [asked(pageNumber(4))])
})
