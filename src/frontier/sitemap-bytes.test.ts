// Tests how the bytes of a sitemap are decompressed within a limit, and decoded chunk by chunk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { decodeChunks, unpack } from './sitemap-bytes.ts'

const decoded = (bytes: Buffer): string => [...decodeChunks(bytes)].join('')
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

test('a sitemap is UTF-16 if its byte order mark or first character says so, and UTF-8 otherwise', () => {
  assert.equal(decoded(Buffer.from('\ufeff<a>ü</a>', 'utf16le')), '<a>ü</a>')
  assert.equal(decoded(Buffer.from('<a>ü</a>', 'utf16le')), '<a>ü</a>')
  assert.equal(decoded(utf16be('\ufeff<a>ü</a>')), '<a>ü</a>')
  assert.equal(decoded(utf16be('<a>ü</a>')), '<a>ü</a>')
  assert.equal(decoded(Buffer.from('<a>ü</a>')), '<a>ü</a>')
})

test('the first byte of a byte order mark alone is not a byte order mark', () => {
  assert.equal(decoded(Buffer.from([0xfe, 0x61, 0x62])), '\ufffdab')
  assert.equal(decoded(Buffer.from([0x61, 0xff, 0x62])), 'a\ufffdb')
})

test('a character cut off at the end of the file is reported as broken, not omitted', () => {
  assert.equal(decoded(Buffer.from([0x61, 0xc3])), 'a\ufffd')
})

test('a character that is split over two chunks is decoded as one', () => {
  const text = `${'a'.repeat(65_535)}ü${'b'.repeat(10)}`
  assert.equal(decoded(Buffer.from(text)), text)
})

test('a file that decompresses above the limit is cut near the limit, however well it is compressed', () => {
  const text = Array.from({ length: 40_000 }, (_, n) => `https://a.example/${n}\n`).join('')
  const unlike = Buffer.concat([Buffer.from(text), Buffer.alloc(5_000_000, 'a')])
  for (const whole of [
    Buffer.alloc(10_000, 'a'),
    Buffer.from(text),
    unlike,
    Buffer.concat([unlike, unlike]),
  ]) {
    const maxBytes = whole.length - 1
    const { bytes, truncated } = unpack(gzipSync(whole), maxBytes)
    assert.equal(truncated, true)
    assert.ok(bytes.length > 0.8 * maxBytes && bytes.length <= maxBytes, `${bytes.length} of ${maxBytes}`)
    assert.ok(bytes.equals(whole.subarray(0, bytes.length)))
  }
})

test('a file that is broken in the middle gives the content before the error', () => {
  const text = Array.from({ length: 40_000 }, (_, n) => `https://a.example/${n * 7919}\n`).join('')
  const packed = gzipSync(text)
  packed.fill(0xff, packed.length / 2, packed.length / 2 + 64)
  const { bytes, problem } = unpack(packed, 50_000_000)
  assert.match(problem ?? '', /gzip/)
  assert.ok(bytes.length > 0.3 * text.length, `${bytes.length} of ${text.length}`)
  assert.ok(text.startsWith(bytes.toString('latin1', 0, 1_000)))
})

test('a compressed file is decompressed up to the limit; a file that fits is complete', () => {
  const packed = gzipSync(Buffer.alloc(10_000, 'a'))
  const whole = unpack(packed, 10_000)
  assert.deepEqual([whole.truncated, whole.problem], [false, null])
  const cut = unpack(packed, 9_999)
  assert.equal(cut.truncated, true)
  assert.match(cut.problem ?? '', /gzip/)
  const plain = unpack(Buffer.from('abcdef'), 5)
  assert.deepEqual([plain.bytes.toString(), plain.truncated], ['abcde', true])
})
