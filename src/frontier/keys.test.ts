// Tests that each URL has a unique key, which stays the same in later versions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentKey, KeyHash, textKey, urlKey } from './keys.ts'

/** URLs that differ in one digit, in its position, in the letter case, or in their length. */
function* similarUrls(count: number): Generator<string> {
  for (let index = 0; index < count / 4; index++) {
    yield `https://example.com/products/${index}`
    yield `https://example.com/products/${index}/`
    yield `https://example.com/?page=${index % 1_000}&id=${Math.floor(index / 1_000)}`
    yield `https://example.com/p/${index.toString(36)}-${index % 7}.html`
  }
}

test('a million similar URLs have a million different keys', () => {
  const keys = new BigInt64Array(1_000_000)
  let count = 0
  for (const url of similarUrls(keys.length)) keys[count++] = urlKey(url)
  keys.sort()
  assert.equal(count, keys.length)
  assert.ok(keys.every((key, index) => index === 0 || key !== keys[index - 1]))
})

test('each half of the key is evenly distributed, so that tables can use either', () => {
  const buckets = 4_096
  for (const shift of [0n, 32n]) {
    const counts = new Uint32Array(buckets)
    for (const url of similarUrls(200_000)) counts[Number((urlKey(url) >> shift) & BigInt(buckets - 1))]!++
    // The mean is 49. A deviation of more than 7 standard deviations cannot be chance.
    assert.ok(Math.max(...counts) < 98, `${Math.max(...counts)}`)
    assert.ok(Math.min(...counts) > 10, `${Math.min(...counts)}`)
  }
})

test('if one character of a URL changes, about half of the bits of its key change', () => {
  let changed = 0
  const rounds = 5_000
  for (let index = 0; index < rounds; index++) {
    const difference = urlKey(`https://example.com/${index}a`) ^ urlKey(`https://example.com/${index}b`)
    changed += BigInt.asUintN(64, difference).toString(2).replaceAll('0', '').length
  }
  assert.ok(Math.abs(changed / rounds - 32) < 1, `${changed / rounds}`)
})

test('a text that is hashed in pieces has the same key as the whole text', () => {
  const text = 'https://example.com/a/b?c'
  const lanes = new Int32Array(2)
  for (let at = 0; at <= text.length; at++) {
    const start = new KeyHash().add(text.slice(0, at))
    new KeyHash()
      .resume(start)
      .add(`__${text.slice(at)}__`, 2, 2 + text.length - at)
      .writeTo(lanes)
    assert.equal(new BigInt64Array(lanes.buffer)[0], urlKey(text))
  }
})

test('stored keys stay valid: the hash does not change', () => {
  assert.equal(urlKey('https://example.com/'), -7260683788397484937n)
  assert.equal(urlKey(''), -4146015273990763703n)
  assert.equal(textKey('abc'), 7674422142938552745n)
  assert.equal(contentKey(Buffer.from('abc')), -750661765491154016n)
})

test('texts that differ only in the padding of a block have different keys', () => {
  assert.notEqual(urlKey('a'), urlKey('a\0'))
  assert.notEqual(urlKey(''), urlKey('\0'))
  assert.notEqual(urlKey('\0'), urlKey('\0\0'))
})

test('the key of a page’s content depends only on its bytes, not on their position in memory', () => {
  const body = Buffer.from('<p>The same page, fetched twice.</p>')
  for (const shift of [1, 2, 3]) {
    const elsewhere = Buffer.concat([Buffer.alloc(shift), body]).subarray(shift)
    assert.equal(contentKey(elsewhere), contentKey(body))
  }
})

test('if one byte changes at any position, the key changes', () => {
  const body = Buffer.alloc(1_003, 'x')
  const keys = new Set(Array.from(body, (_, at) => contentKey(Buffer.from(body).fill('y', at, at + 1))))
  assert.equal(keys.add(contentKey(body)).size, body.length + 1)
  assert.notEqual(contentKey(Buffer.alloc(4)), contentKey(Buffer.alloc(5)))
})
