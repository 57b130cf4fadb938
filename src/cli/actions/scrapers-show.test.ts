// The printed fields of a scraper's schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf } from './scrapers-show.ts'

test('every field has its type, whether it is optional, and its rules', () => {
  const shape = {
    type: 'object',
    required: ['name', 'price'],
    properties: {
      name: { type: 'string', minLength: 1 },
      price: { anyOf: [{ type: 'number' }, { type: 'null' }], description: 'with tax' },
      tags: { type: 'array', items: { type: 'string' } },
      count: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      more: {},
    },
  }
  assert.deepEqual(Object.fromEntries(fieldsOf(shape)), {
    name: 'string {"minLength":1}',
    price: 'number | null: with tax',
    tags: 'array of string, optional',
    count: 'integer {"minimum":0}, optional',
    more: 'any, optional',
  })
})

test('a schema that is not an object is shown as it is; an unknown one is not shown', () => {
  assert.deepEqual(fieldsOf({ type: 'string' }), [['', '{"type":"string"}']])
  assert.deepEqual(fieldsOf(null), [])
})
