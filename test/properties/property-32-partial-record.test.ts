// Property 32: a record that does not match its schema keeps its valid fields.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as z from 'zod'
import type { Json, RecordData } from '../../src/model/record.ts'
import { companyWebsiteResult } from '../../src/model/target-schemas.ts'
import { fitToSchema } from '../../src/normalize/index.ts'

const fields = Object.keys(companyWebsiteResult.shape)
const wrongFor = (field: string): fc.Arbitrary<Json> =>
  field === 'headquarters'
    ? fc.constantFrom<Json>('Phoenix', 7, { city: 7 }, [])
    : fc.constantFrom<Json>(7, true, {}, ['x'])
const rightFor = (field: string): fc.Arbitrary<Json> =>
  field === 'headquarters'
    ? fc.string().map(raw => ({ city: null, state_region: null, country: null, raw }))
    : fc.option(fc.string())

const someWrong = fc.subarray(fields).chain(wrong =>
  fc.record({
    wrong: fc.constant(wrong),
    data: fc.record(
      Object.fromEntries(
        fields.map(field => [field, wrong.includes(field) ? wrongFor(field) : rightFor(field)]),
      ),
    ) as fc.Arbitrary<RecordData>,
  }),
)

test('Property 32: valid fields stay unchanged, invalid fields become null, and each invalid field is reported', () => {
  fc.assert(
    fc.property(someWrong, ({ wrong, data }) => {
      const fitted = fitToSchema(data, companyWebsiteResult)
      const expected = Object.fromEntries(
        fields.map(field => [field, wrong.includes(field) ? null : data[field]]),
      )
      assert.deepEqual(fitted.data, expected)
      assert.deepEqual(new Set(fitted.problems.map(({ path }) => path.split('.')[0])), new Set(wrong))
    }),
  )
})

test('Property 32: an invalid field that cannot be null is left out, and the other fields stay', () => {
  const strict = z.object({ id: z.string(), count: z.number(), note: z.string().nullable() })
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom<Json>('x', null, {}),
      fc.option(fc.string()),
      (id, count, note) => {
        const fitted = fitToSchema({ id, count, note }, strict)
        assert.deepEqual(fitted.data, { id, note })
        assert.deepEqual(
          fitted.problems.map(({ path }) => path),
          ['count'],
        )
      },
    ),
  )
})

test('Property 32: any record gives a partial record, which stays the same in a second pass', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), value => {
      const { data } = fitToSchema(value, companyWebsiteResult)
      assert.deepEqual(fitToSchema(data, companyWebsiteResult).data, data)
    }),
  )
})
