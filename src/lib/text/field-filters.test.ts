// Tests filters in the syntax of the command line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFilter } from './field-filters.ts'

test('an operator between a field and a value gives a comparison', () => {
  assert.deepEqual(parseFilter('price<50'), { field: 'price', is: 'lt', value: 50 })
  assert.deepEqual(parseFilter('price >= -1.5e3'), { field: 'price', is: 'gte', value: -1_500 })
  assert.deepEqual(parseFilter('offer.price=12'), { field: 'offer.price', is: 'eq', value: 12 })
  assert.deepEqual(parseFilter('title~desk lamp'), { field: 'title', is: 'contains', value: 'desk lamp' })
  assert.deepEqual(parseFilter('url!=https://a.example/?a=b'), {
    ...{ field: 'url', is: 'ne', value: 'https://a.example/?a=b' },
  })
})

test('a value in quotes is text, and true is a boolean', () => {
  assert.equal(parseFilter('sku="12"').value, '12')
  assert.equal(parseFilter('stock=true').value, true)
  assert.equal(parseFilter('name=').value, '')
})

test('a field name alone requires the field to exist, and with ! to be absent', () => {
  assert.deepEqual(parseFilter('sku'), { field: 'sku', is: 'exists', value: true })
  assert.deepEqual(parseFilter('!sku'), { field: 'sku', is: 'exists', value: false })
})

test('the error for an invalid filter shows the right syntax', () => {
  for (const text of ['price<', 'title~ ', '', '=5', '<', 'two words', '!'])
    assert.throws(() => parseFilter(text), /price<50/, text)
})
