// Tests how bodies of the Firecrawl API are parsed and refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { readBody } from './routes.ts'

const schema = z.strictObject({ url: z.string(), limit: z.int().default(10) })

test('missing fields of a body get their defaults', () => {
  assert.deepEqual(readBody(schema, { url: 'a' }), { url: 'a', limit: 10 })
})

test('the error for an invalid body lists every problem, and a missing body counts as empty', () => {
  assert.throws(
    () => readBody(schema, { limit: 'x' }),
    (error: { code: string; message: string; details: { problems: unknown[] } }) => {
      assert.equal(error.code, 'input.invalid')
      assert.match(error.message, /url: .*limit: /)
      assert.equal(error.details.problems.length, 2)
      return true
    },
  )
  assert.throws(() => readBody(schema, undefined), { code: 'input.invalid', message: /url/ })
})

test('the error for a misspelt field suggests the nearest known name', () => {
  assert.throws(() => readBody(schema, { url: 'a', limitt: 1 }), { message: /limit\b/ })
})
