// Tests how the fields of several pages are merged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asObjectSchema, inShape, mergeFields } from './merge-fields.ts'

const page = (name: string, fields: Record<string, unknown>) => ({ url: `https://a.example/${name}`, fields })

test('a field comes from the first page that has it, and lists are merged without duplicates', () => {
  const { fields, sources } = mergeFields([
    page('1', { name: null, price: 5, tags: ['a'], maker: { name: 'Luxor', city: null } }),
    page('2', { name: 'Lamp', price: 6, tags: ['a', 'b'], maker: { name: 'Other', city: 'Graz' } }),
    page('3', { name: 'Lamp 2', price: null, tags: [], maker: null }),
  ])
  assert.deepEqual(fields, {
    ...{ name: 'Lamp', price: 5, tags: ['a', 'b'], maker: { name: 'Luxor', city: 'Graz' } },
  })
  assert.deepEqual(sources, {
    name: ['https://a.example/2'],
    price: ['https://a.example/1'],
    tags: ['https://a.example/1', 'https://a.example/2'],
    maker: ['https://a.example/1', 'https://a.example/2'],
  })
})

test('fields that no page has are null, and without pages there are no fields', () => {
  assert.deepEqual(mergeFields([page('1', { name: null })]), { fields: { name: null }, sources: {} })
  assert.deepEqual(mergeFields([]), { fields: {}, sources: {} })
})

test('if the schema is a list, it is extracted as a field and returned as a list', () => {
  const list = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } }
  assert.deepEqual(asObjectSchema(list), { type: 'object', properties: { items: list } })
  assert.deepEqual(inShape(list, { items: [{ name: 'a' }] }), [{ name: 'a' }])
  assert.deepEqual(inShape(list, {}), [])
  const plain = { type: 'object', properties: {} }
  assert.equal(asObjectSchema(plain), plain)
})
