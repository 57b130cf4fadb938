// Class names that people write are kept, and those that build tools make are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRandom, namePart } from './stable-names.ts'

test('names that people write are kept', () => {
  const written =
    'price product-card__title a-size-medium productPrice btn-primary h1 col2 item-2 headline lightbox-thumb teaserMeta listing strength img-fluid price--old js-toggle'
  assert.deepEqual(written.split(' ').filter(isRandom), [])
})

test('names that build tools make are not', () => {
  const made =
    'css-1x2y3z sc-bdVaJa jsx-2871293847 svelte-1tky8bj x1lliihq yuRUbf VwiC3b LC20lb tF2Cxc kZqYzA hbqxTd fkjryn _a8Xz3 item-81723'
  assert.deepEqual(
    made.split(' ').filter(name => !isRandom(name)),
    [],
  )
})

test('the written part of a made name is used', () => {
  assert.equal(namePart('Card_title__a8Xz3').css, '[class*="Card_title__"]')
  assert.equal(namePart('_title_1x2y3_5').css, '[class*="_title_"]')
  assert.equal(namePart('css-1x2y3z-ProductName').css, '[class*="-ProductName"]')
  assert.equal(namePart('Card_title__a8Xz3').word, 'title')
})

test('utility classes and states cost more than names', () => {
  const cost = (name: string) => namePart(name).cost
  for (const name of ['mt-4', 'text-sm', 'hover:underline', 'flex', 'active', 'odd'])
    assert.ok(cost(name) > cost('price'), name)
})
