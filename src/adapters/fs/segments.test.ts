// Tests segments on disk: when a new one begins, and what a killed or failing writer leaves behind.
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFileBlobs } from './blobs.ts'

function newRoot() {
  const directory = mkdtempSync(join(tmpdir(), 'kscrape-segments-'))
  const root = join(directory, 'blobs')
  return { directory, root, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
}

const page = (size: number): Buffer => Buffer.alloc(size, 'x')

test('when a segment is full, the next bytes go to a new segment', async () => {
  using place = newRoot()
  await using blobs = await openFileBlobs(place.root, { segmentBytes: 100 })
  const refs = []
  for (let i = 0; i < 5; i += 1) refs.push(await blobs.append('raw/job', page(60)))

  assert.deepEqual(
    refs.map(({ key, offset }) => `${key} ${offset}`),
    [
      'raw/job-000001.warc.zst 0',
      'raw/job-000001.warc.zst 60',
      'raw/job-000002.warc.zst 0',
      'raw/job-000002.warc.zst 60',
      'raw/job-000003.warc.zst 0',
    ],
  )
})

test('after a crash, new bytes go to the next segment and not after an incomplete record', async () => {
  using place = newRoot()
  const before = await openFileBlobs(place.root)
  const kept = await before.append('raw/job', Buffer.from('whole'))
  appendFileSync(join(place.root, kept.key), 'half a reco')

  await using blobs = await openFileBlobs(place.root)
  const next = await blobs.append('raw/job', Buffer.from('next'))

  assert.equal(next.key, 'raw/job-000002.warc.zst')
  assert.equal((await blobs.read(kept)).toString(), 'whole')
  assert.equal((await blobs.read(next)).toString(), 'next')
  await before[Symbol.asyncDispose]()
})

test('segment names with a common prefix are numbered separately', async () => {
  using place = newRoot()
  await using blobs = await openFileBlobs(place.root)
  const keys = []
  for (const name of ['job', 'job-2', 'job']) keys.push((await blobs.append(name, page(1))).key)

  assert.deepEqual(keys, ['job-000001.warc.zst', 'job-2-000001.warc.zst', 'job-000001.warc.zst'])
})

test('with more segments than may be open at once, each segment still gets its bytes', async () => {
  using place = newRoot()
  await using blobs = await openFileBlobs(place.root)
  const names = Array.from({ length: 100 }, (_, i) => `job-${i}`)
  for (let round = 0; round < 3; round += 1)
    await Promise.all(
      names.map(async name => {
        const ref = await blobs.append(name, Buffer.from(name))
        assert.equal((await blobs.read(ref)).toString(), name)
      }),
    )

  assert.equal(readdirSync(place.root).length, 100)
  if (process.platform === 'linux') assert.ok(readdirSync('/proc/self/fd').length < 100)
})

test('a blob whose write never finished is not listed', async () => {
  using place = newRoot()
  await using blobs = await openFileBlobs(place.root)
  await blobs.put('a', page(1))
  writeFileSync(join(place.root, 'a.123-abc.kscrape-tmp'), 'half')

  const keys = []
  for await (const { key } of blobs.list('')) keys.push(key)
  assert.deepEqual(keys, ['a'])
  await assert.rejects(blobs.get('a.123-abc.kscrape-tmp'), { code: 'input.invalid' })
})

test('a symbolic link that leaves the root folder is not followed', async () => {
  using place = newRoot()
  await using blobs = await openFileBlobs(place.root)
  writeFileSync(join(place.directory, 'secret'), 'secret')
  symlinkSync(place.directory, join(place.root, 'out'))

  const refused = { code: 'input.invalid' }
  await assert.rejects(blobs.get('out/secret'), refused)
  await assert.rejects(blobs.read({ key: 'out/secret', offset: 0, length: 6 }), refused)
  await assert.rejects(blobs.put('out/mine', page(1)), refused)
  await assert.rejects(blobs.append('out/mine', page(1)), refused)
  assert.deepEqual(readdirSync(place.directory).toSorted(), ['blobs', 'secret'])
})

test('a failed write names its path, and the next append works', async () => {
  using place = newRoot()
  await using blobs = await openFileBlobs(place.root)
  await blobs.put('raw', page(1))

  await assert.rejects(blobs.append('raw/job', page(1)), { code: 'storage.failed', message: /blobs\/raw/ })
  await blobs.delete(['raw'])

  assert.equal((await blobs.append('raw/job', page(1))).key, 'raw/job-000001.warc.zst')
})
