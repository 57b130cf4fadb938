// Property 35: a result that is written as JSON and read again is unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { targetSchemas } from '../../src/model/target-schemas.ts'

const text = fc.option(fc.string({ unit: 'binary' }))
const location = fc.option(fc.record({ city: text, state_region: text, country: text, raw: text }))

for (const [id, schema] of Object.entries(targetSchemas)) {
  test(`Property 35: a stored result of ${id} is read back unchanged`, () => {
    const fields = Object.keys(schema.shape).map(field => [
      field,
      field === 'location' || field === 'headquarters' ? location : text,
    ])
    fc.assert(
      fc.property(fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>), result => {
        const made = schema.parse(result)
        assert.deepEqual(schema.parse(JSON.parse(JSON.stringify(made))), made)
      }),
    )
  })
}
