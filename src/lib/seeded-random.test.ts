// Tests that a seed always gives the same random numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, withRandom } from './seeded-random.ts'

const some = (seed: string): number[] => Array.from({ length: 1_000 }, seededRandom(seed))

test('one seed gives the same numbers every time, and another seed gives others', () => {
  assert.deepEqual(some('one'), some('one'))
  assert.notDeepEqual(some('one'), some('two'))
})

test('seeded random numbers are evenly distributed', () => {
  const numbers = some('any')
  assert.ok(numbers.every(number => number >= 0 && number < 1))
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  assert.ok(mean > 0.45 && mean < 0.55, `${mean}`)
})

test('Math.random is restored after seeded work, even if the work failed', () => {
  const usual = Math.random
  assert.equal(
    withRandom(
      () => 0.25,
      () => Math.random(),
    ),
    0.25,
  )
  assert.throws(() =>
    withRandom(
      () => 0,
      () => {
        throw new Error('broken')
      },
    ),
  )
  assert.equal(Math.random, usual)
})
