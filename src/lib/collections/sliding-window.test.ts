// Tests that only the last outcomes count.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SlidingWindow } from './sliding-window.ts'

test('a sliding window counts the last outcomes and the failures among them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.boolean()), (size, outcomes) => {
      const window = new SlidingWindow(size)
      for (const failed of outcomes) window.push(failed)
      const expected = outcomes.slice(-size).map(Number)
      assert.deepEqual(window.toArray(), expected)
      assert.equal(window.failures, expected.filter(Boolean).length)
      assert.equal(window.length, expected.length)
    }),
  )
})

test('a saved sliding window continues, even if its size has become smaller', () => {
  const window = new SlidingWindow(3, [1, 1, 0, 1, 0])
  assert.deepEqual(window.toArray(), [0, 1, 0])
  window.push(true)
  assert.deepEqual(window.toArray(), [1, 0, 1])
  window.clear()
  assert.deepEqual(window.toArray(), [])
})
