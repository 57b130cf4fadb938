// Tests counting many names in bounded memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopCounts } from './top-counts.ts'

test('the largest counts are returned, largest first', () => {
  const counts = new TopCounts(2)
  for (const name of ['b', 'a', 'b', 'c', 'b', 'a']) counts.add(name)
  assert.deepEqual(counts.top(), [
    ['b', 3],
    ['a', 2],
  ])
})

test('a frequent name is listed, even if very many other names are counted', () => {
  const counts = new TopCounts(1)
  for (let n = 0; n < 100_000; n += 1) {
    counts.add(`host-${n}`)
    if (n % 10 === 0) counts.add('often')
  }
  assert.deepEqual(counts.top(), [['often', 10_000]])
})
