// Tests how long to wait before the next attempt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { retries } from '../model/policy/policy.ts'
import { backoffMs } from './backoff.ts'

const middle = () => 0.5

test('by default the waits between retries double from one second', () => {
  const policy = retries.parse({})
  assert.deepEqual(
    [1, 2, 3, 4].map(attempt => backoffMs(attempt, policy, middle)),
    [1_000, 2_000, 4_000, 8_000],
  )
})

test('linear waits grow by the same amount each time', () => {
  const policy = retries.parse({ strategy: 'linear', baseMs: 300 })
  assert.deepEqual(
    [1, 2, 3].map(attempt => backoffMs(attempt, policy, middle)),
    [300, 600, 900],
  )
})

test('jitter stays within its share, and no wait exceeds the maximum', () => {
  const anyPolicy = fc.record({
    strategy: fc.constantFrom('linear' as const, 'exponential' as const),
    baseMs: fc.nat({ max: 10_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    capMs: fc.nat({ max: 600_000 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(anyPolicy, fc.integer({ min: 1, max: 50 }), share, (given, attempt, random) => {
      const policy = retries.parse(given)
      const wait = backoffMs(attempt, policy, () => random)
      const plain = backoffMs(attempt, policy, middle)
      assert.ok(wait >= 0 && wait <= policy.capMs)
      // Tolerance for rounding: both waits are rounded to whole milliseconds.
      assert.ok(Math.abs(wait - plain) <= plain * policy.jitter + 1.5)
    }),
  )
})
