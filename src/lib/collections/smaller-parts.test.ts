// Tests how a batch is split after its worker died.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smallerParts } from './smaller-parts.ts'

test('a large batch that is lost once is split into a few parts, and one that is lost twice into single items', () => {
  const items = Array.from({ length: 100 }, (_, index) => index)
  const parts = smallerParts(items, 1)
  assert.equal(parts.length, 15)
  assert.deepEqual(parts.flat(), items)
  assert.equal(smallerParts(items, 2).length, 100)
})

test('a small batch that is lost is split into single items at once', () => {
  assert.deepEqual(smallerParts(['a', 'b'], 1), [['a'], ['b']])
})
