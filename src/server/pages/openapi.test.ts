// Tests what is added to the OpenAPI document that swagger generates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describedFields } from '../api-words/describe-fields.ts'
import { completedPaths, withFirst, withNamedSchemas } from './openapi.ts'

type Paths = Parameters<typeof completedPaths>[0]
const json = { 'application/json': { schema: { type: 'object' } } }
const complete = (paths: Paths, speaksForItself = () => false) => completedPaths(paths, speaksForItself)
const keyed = [{ key: [] }]
/** Error statuses that every route may return. */
const common = ['422', '429', '500', '503']

test('every operation of the OpenAPI document has an id that is valid as a method name', () => {
  const { '/jobs/{job_id}/items': path } = complete({
    '/jobs/{job_id}/items': { get: {}, post: { operationId: 'own' } },
  })
  assert.deepEqual([path?.get?.operationId, path?.post?.operationId], ['getJobsJobIdItems', 'own'])
})

test('a route that needs a key documents 401, unless its API has its own format for errors', () => {
  const paths: Paths = { '/jobs': { get: { security: keyed, responses: { 200: { content: json } } } } }
  assert.deepEqual(Object.keys(complete(paths)['/jobs']!.get!.responses!), ['200', '401', '403', ...common])
  assert.deepEqual(Object.keys(complete(paths, () => true)['/jobs']!.get!.responses!), ['200'])
  const open: Paths = { '/health': { get: { responses: { 200: { content: json } } } } }
  assert.deepEqual(Object.keys(complete(open)['/health']!.get!.responses!), ['200', ...common])
})

test('an error response that the route describes itself stays in the OpenAPI document', () => {
  const own = { description: 'Mine.', content: json }
  const { responses } = complete({ '/jobs': { get: { security: keyed, responses: { 403: own } } } })['/jobs']!
    .get!
  assert.equal(responses?.[403]?.description, 'Mine.')
})

test('a response without a schema is described as a file, a stream or text', () => {
  const typeOf = (path: string) =>
    Object.keys(complete({ [path]: { get: {} } })[path]!.get!.responses![200]!.content!)[0]
  assert.equal(typeOf('/events'), 'text/event-stream')
  assert.equal(typeOf('/metrics'), 'text/plain')
  assert.equal(typeOf('/jobs/{job_id}/export'), 'application/octet-stream')
})

test('our own descriptions replace those that swagger generates', () => {
  const responses = { 202: { description: 'Default Response', content: json }, 299: {} }
  const told = complete({ '/jobs': { post: { responses } } })['/jobs']!.post!.responses!
  assert.notEqual(told[202]?.description, 'Default Response')
  assert.ok(told[299]?.description)
})

test('errors are JSON, whatever the route returns on success', () => {
  const responses = { 200: { content: { 'text/csv': {} } }, 404: { content: { 'text/csv': { schema: 1 } } } }
  const told = complete({ '/x': { get: { responses } } })['/x']!.get!.responses!
  assert.deepEqual(Object.keys(told[200]!.content!), ['text/csv'])
  assert.deepEqual(told[404]!.content, { 'application/json': { schema: 1 } })
})

test('an upload accepts the bytes of a file', () => {
  const { put, get } = complete({ '/uploads/{id}/content': { put: {}, get: {} } })['/uploads/{id}/content']!
  assert.ok(put?.requestBody)
  assert.equal(get?.requestBody, undefined)
})

test('request bodies are named components, and the important fields of a job come first', () => {
  const schema = { type: 'object', properties: { depth: {}, scraper_id: {}, seed_urls: {}, urls: {} } }
  const paths: Paths = {
    '/jobs': { post: { requestBody: { content: { 'application/json': { schema } } }, responses: {} } },
  }
  const { paths: moved, schemas } = withNamedSchemas(complete(paths))
  assert.deepEqual(
    JSON.parse(JSON.stringify(moved['/jobs']!.post!.requestBody)).content['application/json'],
    {
      schema: { $ref: '#/components/schemas/JobRequest' },
    },
  )
  const first = withFirst(schemas, ['urls', 'seed_urls', 'scraper_id']) as typeof schemas
  const { properties } = first.JobRequest as { properties: object }
  assert.deepEqual(Object.keys(properties), ['urls', 'seed_urls', 'scraper_id', 'depth'])
})

test('every field has a description and an example that fits its type', () => {
  const described = describedFields({
    properties: {
      url: { type: 'string' },
      status: { type: 'integer', description: 'Mine.' },
      state: { enum: ['running', 'done'] },
      job: { type: 'object', required: ['job_id'], properties: { job_id: { type: 'string' } } },
    },
  }) as { properties: Record<string, { description: string; examples: unknown[] }> }
  const { url, status, state, job } = described.properties
  assert.deepEqual(url?.examples, ['https://example.com/'])
  assert.deepEqual([status?.description, status?.examples], ['Mine.', [1]])
  assert.deepEqual([state?.examples, job?.examples], [['running'], [{ job_id: 'shop-1' }]])
  assert.ok(url?.description && state?.description && job?.description)
})
