// Tests records that violate their schema, with any schema library.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import type { StandardSchema } from '../model/standard-schema.ts'
import { fitToSchema } from './partial-record.ts'

test('a valid record is returned as its schema transforms it, without problems', () => {
  const schema = z.object({ a: z.string().trim(), b: z.number().default(7) })
  assert.deepEqual(fitToSchema({ a: ' x ' }, schema), { data: { a: 'x', b: 7 }, problems: [] })
})

test('a problem of a record has the path of its field', () => {
  const schema = z.object({ offers: z.array(z.object({ price: z.number() })).nullable(), name: z.string() })
  const fitted = fitToSchema({ offers: [{ price: 1 }, { price: 'x' }], name: 'Lamp' }, schema)
  assert.deepEqual(fitted.data, { offers: null, name: 'Lamp' })
  assert.deepEqual(
    fitted.problems.map(({ path }) => path),
    ['offers[1].price'],
  )
})

test('keys unknown to a strict schema are left out', () => {
  const schema = z.strictObject({ a: z.string() })
  assert.deepEqual(fitToSchema({ a: 'x', b: 1 }, schema).data, { a: 'x' })
})

test('if a check of the whole record fails, this is reported, and no field is lost', () => {
  const schema = z
    .object({ low: z.number(), high: z.number() })
    .refine(({ low, high }) => low <= high, 'low > high')
  assert.deepEqual(fitToSchema({ low: 2, high: 1 }, schema), {
    data: { low: 2, high: 1 },
    problems: [{ path: '(whole)', message: 'low > high' }],
  })
})

test('an asynchronous schema is refused', () => {
  const later: StandardSchema = {
    '~standard': { version: 1, vendor: 'slow', validate: async value => ({ value }) },
  }
  assert.throws(() => fitToSchema({}, later), /slow is asynchronous/)
})
