// Tests how a batch is split after its worker died.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smallerParts } from './smaller-parts.ts'

test('after a loss a large batch is split into a few parts, and after the second loss into single items', () => {
  const items = Array.from({ length: 100 }, (_, index) => index)
  const parts = smallerParts(items, 1)
  assert.equal(parts.length, 15)
  assert.deepEqual(parts.flat(), items)
  assert.equal(smallerParts(items, 2).length, 100)
})

test('a batch of a few items is split into single items at once', () => {
  assert.deepEqual(smallerParts(['a', 'b'], 1), [['a'], ['b']])
})
