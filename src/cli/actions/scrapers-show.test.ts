// Tests how the fields of a scraper's schema are printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf } from './scrapers-show.ts'

test('scrapers show prints for each field its type, whether it is optional, and its constraints', () => {
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

test('scrapers show prints a schema that is not an object as JSON, and nothing for an unknown schema', () => {
  assert.deepEqual(fieldsOf({ type: 'string' }), [['', '{"type":"string"}']])
  assert.deepEqual(fieldsOf(null), [])
})
