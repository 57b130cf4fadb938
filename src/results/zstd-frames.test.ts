// Tests zstd frames: each is complete, and its sizes are known without decompression.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { unpack, unpackBeside } from './unpack.ts'
import { frameAt, plainFrame, zstdFrame } from './zstd-frames.ts'

test('each record becomes one zstd frame that states its size', async () => {
  const page = Buffer.from('<p>the same words over and over</p>'.repeat(2_000))
  const random = [0, 1, 300_000, 2_000_000].map(size => randomBytes(size))
  for (const record of [page, Buffer.from('x'), Buffer.alloc(200_000, 'y'), ...random]) {
    const frame = await zstdFrame(record)
    assert.deepEqual(frameAt(frame, 0), { length: frame.length, contentLength: record.length })
    assert.ok(zstdDecompressSync(frame).equals(record))
  }
})

test('records that are compressed at the same time become separate frames, in the order of the calls', async () => {
  const records = Array.from({ length: 40 }, (_, n) => Buffer.alloc(n * 3_000, `record ${n} `))
  const packed = await Promise.all(records.map(zstdFrame))
  for (const [n, record] of records.entries())
    assert.ok(zstdDecompressSync(packed[n]!).equals(record), `record ${n}`)
})

test('a frame that ends at the end of Node’s buffer is not followed by an empty frame', async () => {
  for (let size = 32_700; size < 32_768; size++) {
    const record = randomBytes(size)
    const frame = await zstdFrame(record)
    assert.equal(frameAt(frame, 0).length, frame.length)
    assert.ok(unpack(frame).equals(record))
  }
})

test('the sizes of a frame are known without decompression', () => {
  fc.assert(
    fc.property(fc.nat(70_000), fc.boolean(), (size, isRandom) => {
      const content = isRandom ? randomBytes(size) : Buffer.alloc(size, 'repeated ')
      const frame = zstdCompressSync(content, { pledgedSrcSize: size })
      const bytes = Buffer.concat([Buffer.from('before'), frame, Buffer.from('after')])
      assert.deepEqual(frameAt(bytes, 6), { length: frame.length, contentLength: size })
    }),
    { examples: [0, 1, 255, 256, 257, 65_791, 65_792].map(size => [size, true]) },
  )
})

test('all zstd frames of a page are decompressed, in the calling thread and in another thread', async () => {
  const [head, body] = [Buffer.from('head'), Buffer.alloc(400_000, 'body ')]
  const both = Buffer.concat([await zstdFrame(head), await zstdFrame(body)])
  assert.ok(unpack(both).equals(Buffer.concat([head, body])))
  assert.ok((await unpackBeside(both)).equals(Buffer.concat([head, body])))
})

test('a frame with a changed or missing byte is reported as damaged', async () => {
  const frame = await zstdFrame(randomBytes(2_000))
  const changed = Buffer.from(frame)
  changed[1_000]! ^= 1
  for (const bytes of [
    changed,
    frame.subarray(0, -1),
    frame.subarray(0, 3),
    Buffer.from('no frame at all'),
  ]) {
    assert.throws(() => unpack(bytes), { code: 'storage.failed' })
    await assert.rejects(unpackBeside(bytes), { code: 'storage.failed' })
  }
})

test('a frame that is stored without compression has the requested length', () => {
  for (const length of [20, 1_000, 131_083, 131_084, 400_000]) {
    const frame = plainFrame(length, bytes => Buffer.alloc(bytes, 'x'))
    assert.equal(frame.length, length)
    assert.equal(frameAt(frame, 0).length, length)
    assert.match(zstdDecompressSync(frame).toString(), /^x+$/)
  }
})
