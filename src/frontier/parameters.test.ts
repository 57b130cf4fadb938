// Tests the query of a canonical URL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanQuery } from './parameters.ts'

test('a query is dropped, kept or sorted, as the job says', () => {
  assert.equal(cleanQuery('b=2&a=1', 'drop'), '')
  assert.equal(cleanQuery('b=2&a=1', 'keep'), 'b=2&a=1')
  assert.equal(cleanQuery('b=2&a=1', 'sort'), 'a=1&b=2')
  assert.equal(cleanQuery('', 'sort'), '')
})

test('parameters with the same name keep their order, and empty ones are removed', () => {
  assert.equal(cleanQuery('b=2&a=2&&a=1', 'sort'), 'a=2&a=1&b=2')
})
