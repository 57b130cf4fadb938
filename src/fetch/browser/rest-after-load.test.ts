// Tests the pause after a load: a fixed time, or a random time within a range.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rendering } from '../../model/policy/rendering.ts'
import { restAfterLoad } from './rest-after-load.ts'

test('after the load the browser waits for the configured time, but not if it waits for a selector', () => {
  assert.equal(restAfterLoad(700, Math.random), 700)
  for (const waitFor of ['networkidle', '.price', undefined])
    assert.equal(restAfterLoad(waitFor, Math.random), 0)
})

test('the wait after the load is a random time within the range', () => {
  const ms = fc.integer({ min: 0, max: 600_000 })
  fc.assert(
    fc.property(ms, ms, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (a, b, chance) => {
      const span = { minMs: Math.min(a, b), maxMs: Math.max(a, b) }
      const rest = restAfterLoad(span, () => chance)
      assert.ok(rest >= span.minMs && rest <= span.maxMs)
    }),
  )
  assert.equal(
    restAfterLoad({ minMs: 10, maxMs: 20 }, () => 0),
    10,
  )
  assert.equal(
    restAfterLoad({ minMs: 10, maxMs: 20 }, () => 0.999_999),
    20,
  )
})

test('a range of waits whose end is before its start is refused', () => {
  assert.equal(rendering.safeParse({ waitFor: { minMs: 2, maxMs: 1 } }).success, false)
})
