// Tests that equal schemas of the OpenAPI document share one component.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withSharedSchemas } from './shared-schemas.ts'

const long =
  'A sentence that makes the schema long enough to deserve a name of its own, and some more words for it.'
const policy = {
  type: 'object',
  properties: { rate: { type: 'string', description: long }, burst: { type: 'integer', description: long } },
}

test('an object in two schemas becomes a shared component, and each reference keeps its own description', () => {
  const { schemas } = withSharedSchemas({
    paths: {},
    schemas: {
      Job: { type: 'object', properties: { policy: { ...policy, description: 'Of the job.' } } },
      Host: { type: 'object', properties: { policies: { type: 'array', items: policy } } },
    },
  })
  assert.deepEqual(schemas, {
    Job: {
      type: 'object',
      properties: { policy: { description: 'Of the job.', $ref: '#/components/schemas/Policy' } },
    },
    Host: {
      type: 'object',
      properties: { policies: { type: 'array', items: { $ref: '#/components/schemas/Policy' } } },
    },
    Policy: { ...policy, description: 'Of the job.' },
  })
})

test('equal components become one component, and references point to it', () => {
  const reference = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } })
  const { paths, schemas } = withSharedSchemas({
    paths: { '/a': reference('First'), '/b': reference('Second') },
    schemas: { First: policy, Second: policy },
  })
  assert.deepEqual(paths, { '/a': reference('First'), '/b': reference('First') })
  assert.deepEqual(Object.keys(schemas), ['First'])
})

test('two different schemas with one name get different names', () => {
  const other = { ...policy, required: ['rate'] }
  const holder = (title: string, schema: object) => ({
    title,
    type: 'object',
    properties: { policy: schema },
  })
  const { schemas } = withSharedSchemas({
    paths: {},
    schemas: { A: holder('a', policy), B: holder('b', policy), C: holder('c', other), D: holder('d', other) },
  })
  assert.deepEqual(Object.keys(schemas).sort(), ['A', 'B', 'C', 'CPolicy', 'D', 'Policy'].sort())
})
