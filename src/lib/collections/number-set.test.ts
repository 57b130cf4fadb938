// Tests sets of numbers that are stored as ranges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NumberSet } from './number-set.ts'

test('a number set contains exactly the numbers that were added, even after it is stored as text and read', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 })), numbers => {
      const set = new NumberSet()
      for (const n of numbers) set.add(n)
      const again = NumberSet.parse(set.toString())
      for (let n = 1; n <= 41; n += 1) {
        assert.equal(set.has(n), numbers.includes(n), `${n} in ${set}`)
        assert.equal(again.has(n), numbers.includes(n), `${n} in ${again}`)
      }
      let complete = 0
      while (numbers.includes(complete + 1)) complete += 1
      assert.equal(set.completeTo, complete)
    }),
  )
})

test('consecutive numbers are stored as one range', () => {
  const set = new NumberSet()
  for (const n of [1, 2, 4, 3, 9, 7]) set.add(n)
  assert.equal(set.toString(), '1-4,7,9')
})
