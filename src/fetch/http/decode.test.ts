// Tests that Content-Encoding is decoded correctly, within limits, and that incomplete bodies are errors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import * as fc from 'fast-check'
import { failing } from '../../../test/fetching.ts'
import { decodeBody, encodingsOf } from './decode.ts'

const limits = { maxBytes: 20_971_520, target: 'example.com' }

const encoders = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (input: zlib.InputType) =>
    zlib.brotliCompressSync(input, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } }),
  zstd: (input: zlib.InputType) => zlib.zstdCompressSync(input),
}
type Encoding = keyof typeof encoders
const names = Object.keys(encoders) as Encoding[]

const encode = (body: Buffer, encodings: Encoding[]) =>
  encodings.reduce((bytes, name) => encoders[name](bytes), body)

test('a body with up to five encodings in any order is decoded', async () => {
  const bodies = fc.uint8Array({ minLength: 1, maxLength: 5_000 })
  const lists = fc.array(fc.constantFrom(...names), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(bodies, lists, async (bytes, encodings) => {
      const body = Buffer.from(bytes)
      assert.deepEqual(await decodeBody(encode(body, encodings), encodings, limits), body)
    }),
  )
})

test('a body too long to decode synchronously is decoded in the pool', async () => {
  const body = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919).toString(36)).join(' '))
  for (const name of names) assert.deepEqual(await decodeBody(encode(body, [name]), [name], limits), body)
})

test('deflate bodies are decoded with and without the zlib header', async () => {
  const body = Buffer.from('the same text either way')
  assert.deepEqual(await decodeBody(zlib.deflateRawSync(body), ['deflate'], limits), body)
  assert.deepEqual(await decodeBody(zlib.deflateSync(body), ['deflate'], limits), body)
})

test('several gzip members or zstd frames in a row are decoded as one body', async () => {
  const [first, second] = [Buffer.from('first '), Buffer.from('second')]
  for (const name of ['gzip', 'zstd'] as const) {
    const wire = Buffer.concat([encode(first, [name]), encode(second, [name])])
    assert.equal((await decodeBody(wire, [name], limits)).toString(), 'first second')
  }
})

test('a compressed body that stops early is truncated, wherever it stops', async () => {
  const body = Buffer.from(Array.from({ length: 500 }, (_, i) => String(i * 7919)).join(' '))
  for (const name of names) {
    const wire = encode(body, [name])
    for (const cut of [1, 2, Math.floor(wire.length / 2), wire.length - 1]) {
      const failure = await decodeBody(wire.subarray(0, cut), [name], limits).catch(error => error)
      assert.equal(failure.code, 'body.truncated', `${name} cut at ${cut}: ${failure}`)
    }
  }
})

test('a body that is not compressed at all cannot be decoded', async () => {
  for (const name of names) {
    await failing(
      decodeBody(Buffer.from('<html>hello, this is plain</html>'), [name], limits),
      'body.undecodable',
    )
  }
})

test('the error for an unknown content encoding names it', async () => {
  const failure = await failing(decodeBody(Buffer.from('hi'), ['lzma'], limits), 'body.undecodable')
  assert.match(failure.message, /"lzma"/)
})

test('a body with six encodings on top of each other is refused', async () => {
  await failing(decodeBody(Buffer.from('hi'), Array(6).fill('gzip'), limits), 'body.undecodable')
})

test('a body above maxBytes is refused', async () => {
  const wire = zlib.gzipSync(Buffer.alloc(50_000))
  await failing(decodeBody(wire, ['gzip'], { ...limits, maxBytes: 40_000 }), 'body.too-large')
})

test('a decompression bomb is stopped by its ratio long before maxBytes, with one layer or with three', async () => {
  const bombs: [Buffer, Encoding[]][] = [
    [encode(Buffer.alloc(8_000_000), ['br']), ['br']],
    [encode(Buffer.alloc(8_000_000), ['zstd']), ['zstd']],
    [encode(Buffer.alloc(8_000_000), ['gzip', 'gzip', 'gzip']), ['gzip', 'gzip', 'gzip']],
  ]
  for (const [wire, encodings] of bombs) {
    const failure = await failing(decodeBody(wire, encodings, limits), 'body.too-large')
    assert.match(failure.message, /200 times/)
  }
})

test('an empty body stays empty, whatever its headers say', async () => {
  assert.equal((await decodeBody(Buffer.alloc(0), ['gzip'], limits)).length, 0)
})

test('Content-Encoding is a list, and identity in it is ignored', () => {
  assert.deepEqual(encodingsOf('GZIP, identity ,, br'), ['gzip', 'br'])
  assert.deepEqual(encodingsOf(null), [])
})
