// Tests that the pages of a host are overwritten in place, and that all other pages stay readable at their offsets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MapBlobs, somePage } from '../../test/support/results-parts.ts'
import { erasedFrame, erasedMember, erasePages } from './erase-pages.ts'
import { readPage, readRun } from './read-page.ts'
import { SegmentWriter } from './segment-writer.ts'
import { unpack } from './unpack.ts'
import { compress, plainWarcRecord } from './warc.ts'
import { warcMembers } from './warc-members.ts'

const pageAt = (url: string, text = url) => somePage({ url, finalUrl: url, body: Buffer.from(text) })
const isGone = (host: string) => host === 'gone.example'

test('the pages of one host are erased, and other pages stay at their positions', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, 'jobs/j/segments/lane')
  const urls = [
    'https://gone.example/a',
    'https://stays.example/b',
    'https://gone.example/c',
    'https://gone.example/d',
  ]
  const refs = urls.map(url => writer.add(pageAt(url, `<p>marker of ${url}</p>`)))
  await writer.flush()
  const { key } = refs[0]!.ref

  const erased = await erasePages(blobs, key, isGone)

  assert.equal(erased.pages, 3)
  assert.equal(erased.unreadableFrom, null)
  assert.match((await readPage(blobs, refs[1]!.ref)).body.toString(), /marker of https:\/\/stays\.example/)
  await assert.rejects(readPage(blobs, refs[0]!.ref), { code: 'storage.failed' })
  assert.doesNotMatch(unpack(blobs.objects.get(key)!).toString(), /gone\.example/)
  assert.deepEqual(await erasePages(blobs, key, isGone), { pages: 0, bytes: 0, unreadableFrom: null })
})

test('if a scraper opened pages of several hosts, only those of the erased host are erased', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, 'jobs/j/segments/lane')
  const exchange = (url: string) => ({
    page: pageAt(url),
    request: { method: 'GET', url, headers: [], bodyDigest: null },
  })
  const run = writer.addRun([exchange('https://gone.example/login'), exchange('https://stays.example/list')])
  await writer.flush()
  await erasePages(blobs, run.ref.key, isGone)
  const left = await readRun(blobs, run.ref)
  assert.deepEqual(
    left.map(({ page }) => page.url),
    ['https://stays.example/list'],
  )
})

for (const [format, erased] of [
  ['zstd frame', erasedFrame],
  ['gzip member', erasedMember],
] as const)
  test(`a ${format} that replaces an erased page has exactly the same length, and is a valid record`, () => {
    const lengths = [65_540 + 18, 65_541 + 18, 131_080 + 18, ...[1, 2, 3, 4].map(n => 9 + 131_075 + n)]
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 300_000 }), length => {
        const record = erased(length, 0)
        assert.equal(record.length, length)
        const [member, ...more] = warcMembers(record)
        assert.equal(member!.headers.get('WARC-Type'), 'metadata')
        assert.equal(more.length, 0)
        if (length > 230) assert.ok(unpack(record).includes('erased'))
      }),
      { numRuns: 60, examples: lengths.map(length => [length]) },
    )
  })

test('pages are erased from older segments, which have gzip members', async () => {
  const blobs = new MapBlobs()
  const key = 'jobs/j/segments/lane-000001.warc.gz'
  const [gone, stays] = ['https://gone.example/a', 'https://stays.example/b'].map(url =>
    compress(plainWarcRecord(pageAt(url))),
  )
  await blobs.put(key, Buffer.concat([gone!, stays!]))

  assert.equal((await erasePages(blobs, key, isGone)).pages, 1)

  const [first, second] = warcMembers(blobs.objects.get(key)!)
  assert.equal(first!.headers.get('WARC-Type'), 'metadata')
  assert.equal(second!.offset, gone!.length)
  const ref = { key, offset: gone!.length, length: stays!.length }
  assert.equal((await readPage(blobs, ref)).url, 'https://stays.example/b')
})

test('a dry run only counts, and unreadable records are reported', async () => {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, 'jobs/j/segments/lane')
  const { ref } = await (async () => {
    const pending = writer.add(pageAt('https://gone.example/a'))
    await writer.flush()
    return pending
  })()
  const whole = blobs.objects.get(ref.key)!
  blobs.objects.set(ref.key, Buffer.concat([whole, Buffer.from('a torn tail')]))
  const counted = await erasePages(blobs, ref.key, isGone, { dryRun: true })
  assert.equal(counted.pages, 1)
  assert.equal(counted.unreadableFrom, whole.length)
  assert.equal((await readPage(blobs, ref)).url, 'https://gone.example/a')
})
