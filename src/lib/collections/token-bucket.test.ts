// Tests that the token bucket never exceeds the rate and the burst.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBucket } from './token-bucket.ts'

test('a full bucket gives its whole burst at once, then one token per interval', () => {
  const bucket = new TokenBucket({ rate: 2, burst: 3 })
  const starts = [0, 0, 0, 0, 0].map(now => {
    const at = bucket.earliest(now)
    bucket.take(at)
    return at
  })
  assert.deepEqual(starts, [0, 0, 0, 500, 1_000])
})

test('an idle bucket fills to its burst and no further', () => {
  const bucket = new TokenBucket({ rate: 1, burst: 2 })
  bucket.take(bucket.earliest(0))
  for (const expected of [60_000, 60_000, 61_000]) {
    assert.equal(bucket.earliest(60_000), expected)
    bucket.take(expected)
  }
})

test('the newest token can be returned to the bucket, older tokens cannot', () => {
  const bucket = new TokenBucket({ rate: 1, burst: 1 })
  bucket.take(0)
  bucket.take(1_000)
  bucket.giveBack(0)
  assert.equal(bucket.earliest(0), 2_000)
  bucket.giveBack(1_000)
  assert.equal(bucket.earliest(0), 1_000)
})

test('a token bucket without a limit always gives a token', () => {
  const bucket = new TokenBucket({ rate: 'unlimited', burst: 1 })
  bucket.take(5_000)
  assert.equal(bucket.earliest(10), 10)
})
