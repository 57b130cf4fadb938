// Tests the JSON Schemas of routes, which use the public field names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { type Components, describeRoute, jsonSchemaOf } from './json-schemas.ts'

interface Described {
  properties: Record<string, Described & { default?: unknown }>
  required: string[]
}

const described = (schema: z.ZodType, io: 'input' | 'output' = 'input', components: Components = {}) =>
  jsonSchemaOf(schema, io, components) as Described

test('names in schemas are shown in the callers’ letter case, at every level', () => {
  const { properties, required } = described(z.object({ seedUrls: z.object({ maxPages: z.int() }) }))
  assert.deepEqual([Object.keys(properties), required], [['seed_urls'], ['seed_urls']])
  assert.deepEqual(properties.seed_urls?.required, ['max_pages'])
})

test('user data, examples and defaults keep their names in schemas', () => {
  const { properties } = described(
    z.object({
      headers: z.object({ xOwn: z.string() }),
      query: z.object({ keepMe: z.string() }).default({ keepMe: 'a' }),
    }),
  )
  assert.deepEqual(Object.keys(properties.headers!.properties), ['xOwn'])
  assert.deepEqual(properties.query!.default, { keepMe: 'a' })
})

test('schemas that refer to themselves become components, and each route gets components of its own', () => {
  const tree = z.object({
    get childNodes() {
      return z.array(tree).optional()
    },
  })
  const components: Components = {}
  const text = JSON.stringify([
    described(z.object({ tree }), 'input', components),
    described(z.object({ tree }), 'output', components),
  ])
  const refs = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!)
  assert.ok(refs.length >= 2)
  assert.ok(refs.every(name => name in components))
  assert.equal(new Set(refs).size, Object.keys(components).length)
  assert.match(JSON.stringify(components), /child_nodes/)
})

test('the schemas of the body and the responses of a route become JSON Schemas; a response that already has a JSON Schema stays unchanged', () => {
  const body = z.object({ jobId: z.string().default('a') })
  const route = describeRoute({ summary: 'x', body, response: { 200: body, 204: { type: 'null' } } }, {})
  assert.equal(route.summary, 'x')
  const { 200: answer, 204: nothing } = route.response as Record<number, Described>
  assert.deepEqual(nothing, { type: 'null' })
  assert.equal((route.body as Described).required, undefined)
  assert.deepEqual(answer?.required, ['job_id'])
})

test('a record type with known keys has a property for each key', () => {
  const counts = z.object({ counts: z.record(z.enum(['new', 'gone']), z.int()) })
  const { properties } = jsonSchemaOf(counts, 'output', {}) as { properties: { counts: object } }
  const { properties: keys, required } = properties.counts as { properties: object; required: string[] }
  assert.deepEqual(
    [Object.keys(keys), required],
    [
      ['new', 'gone'],
      ['new', 'gone'],
    ],
  )
})
