// Tests that the description of the API is valid, and that its examples work.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { operationDescriptions } from '../../../src/server/api-words/operation-descriptions.ts'
import { TestService } from '../../support/service.ts'

interface Media {
  schema?: Record<string, unknown>
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

type Responses = Record<string, { $ref?: string; description: string; content?: Record<string, Media> }>

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: unknown[]
  requestBody?: { content: Record<string, Media> }
  responses: Responses
  parameters?: Array<{ name: string; in: string }>
}

interface Description {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown>; responses: Responses }
}

/** All operations of the API. References to shared error responses are replaced by these responses. */
const operationsOf = ({ paths, components }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const responses = Object.entries(operation.responses).map(([status, answer]) => [
        status,
        answer.$ref ? components.responses[answer.$ref.split('/').at(-1)!] : answer,
      ])
      return {
        path,
        method,
        operation: { ...operation, responses: Object.fromEntries(responses) as Responses },
      }
    }),
  )

/** Swagger writes a single example as `example`, and several as `examples`. */
const examplesOf = ({ example, examples }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples ?? {}).map(({ value }) => value),
]

type Validate = (document: unknown) => Promise<{ valid: boolean; errors?: unknown[] }>

/** The validator that the docs page includes. */
async function validator(): Promise<Validate> {
  const docsPage = createRequire(import.meta.resolve('@scalar/fastify-api-reference'))
  const { validate } = await import(pathToFileURL(docsPage.resolve('@scalar/openapi-parser')).href)
  return validate as Validate
}

test('the description of the API is valid OpenAPI 3.1, with the public names of fields', async () => {
  await using service = await TestService.open()
  const { body } = await service.ask<Description>('/openapi.json', { key: null })
  const { valid, errors } = await (await validator())(body)
  assert.ok(valid, JSON.stringify(errors))
  assert.match(body.openapi, /^3\.1\./)
  assert.ok('/jobs/{job_id}/status' in body.paths)
  assert.ok(!/"(seedUrls|jobId|maxPages)"/.test(JSON.stringify(body)))
})

test('every route has its own operation id, a description, a tag, its path parameters and a described response', async () => {
  await using service = await TestService.open()
  const { body } = await service.ask<Description>('/openapi.json', { key: null })
  const operations = operationsOf(body)
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, operations.length)
  const names = operations.map(({ method, path }) => `${method} ${path}`)
  const unused = Object.keys(operationDescriptions).filter(name => !names.includes(name))
  assert.deepEqual(unused, [], 'descriptions of routes that do not exist')
  for (const { path, method, operation } of operations) {
    const name = `${method} ${path}`
    assert.ok(operation.summary && operation.tags?.length === 1, name)
    assert.match(operation.description ?? '', /^[A-Z`].*\.$/s, `${name} has no description`)
    assert.notEqual(operation.description, operation.summary)
    const named = (operation.parameters ?? []).filter(one => one.in === 'path').map(one => one.name)
    assert.deepEqual(named.sort(), [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id!).sort(), name)
    assert.ok(operation.security, name)
    const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
    assert.ok(good.length > 0, `${name} has no response`)
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      assert.ok(description && description !== 'Default Response', `${name} ${status}`)
      assert.ok(content, `${name} ${status}`)
      if (Number(status) >= 400)
        assert.deepEqual(Object.keys(content), ['application/json'], `${name} ${status}`)
    }
    if (method === 'post' && operation.requestBody)
      assert.ok(
        examplesOf(operation.requestBody.content['application/json']!).length > 0,
        `${name}: no example`,
      )
  }
})

test('every schema of the API is valid, and its examples match it', async () => {
  await using service = await TestService.open()
  const { body } = await service.ask<Description>('/openapi.json', { key: null })
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'openapi', components: body.components })
  // References in the schemas point into this document. The validator knows the document as `openapi`.
  const named = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'))
  let examples = 0
  for (const { path, method, operation } of operationsOf(body))
    for (const media of [operation.requestBody, ...Object.values(operation.responses)].flatMap(part =>
      Object.values(part?.content ?? {}),
    )) {
      if (!media.schema) continue
      const fits = ajv.compile(named(media.schema))
      for (const example of examplesOf(media)) {
        assert.ok(fits(example), `${method} ${path}: ${JSON.stringify(fits.errors)}`)
        examples += 1
      }
    }
  assert.ok(examples > 10)
})

interface Property {
  path: string
  name: string
  schema: { $ref?: string; description?: string; examples?: unknown[]; example?: unknown }
}

/** Every property of every schema inside this schema. */
function* propertiesIn(value: unknown, path: string): Generator<Property> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, entry] of Object.entries(value)) {
    if (key === 'properties' && !Array.isArray(value))
      for (const [name, schema] of Object.entries(entry as Record<string, Property['schema']>))
        yield { path: `${path}.${name}`, name, schema }
    if (!['examples', 'example', 'default', 'enum', 'const'].includes(key))
      yield* propertiesIn(entry, `${path}.${key}`)
  }
}

test('every property has a description, and an example that is more than its name', async () => {
  await using service = await TestService.open()
  const { body } = await service.ask<Description>('/openapi.json', { key: null })
  const poor: string[] = []
  let described = 0
  for (const { path, name, schema } of propertiesIn({ ...body.components, ...body.paths }, '')) {
    // If the property is a reference, its component has the example.
    const example = schema.$ref ? {} : (schema.example ?? schema.examples?.[0])
    const shown = Array.isArray(example) ? example[0] : example
    const saysItsName = schema.description?.toLowerCase() === `${name.replaceAll('_', ' ').toLowerCase()}.`
    if (!schema.description || saysItsName || example === undefined || shown === name) poor.push(path)
    described += 1
  }
  assert.deepEqual(poor, [])
  assert.ok(described > 1_000)
})

test('components have different names, and the document contains each schema once', async () => {
  await using service = await TestService.open()
  const { body } = await service.ask<Description>('/openapi.json', { key: null })
  for (const name of ['JobRequest', 'Job', 'Schedule', 'Monitor', 'ScrapeResult', 'Problem', 'Policy'])
    assert.ok(body.components.schemas[name], name)
  const { properties } = body.components.schemas.JobRequest as { properties: object }
  assert.deepEqual(Object.keys(properties).slice(0, 3), ['urls', 'seed_urls', 'scraper_id'])
  const contents = Object.values(body.components.schemas).map(schema => JSON.stringify(schema))
  assert.equal(new Set(contents).size, contents.length)
})

test('the service accepts the examples of the API unchanged', async () => {
  // The hosts of accepted jobs are denied, because no test may send requests to the internet.
  await using service = await TestService.open({ settings: { denyHosts: ['*.example.com', 'example.com'] } })
  const { body } = await service.ask<Description>('/openapi.json')
  let asked = 0
  for (const [path, methods] of Object.entries(body.paths)) {
    // Skips routes with unknown hosts and schedules, and routes that wait for a page.
    if (path.includes('{') || path.endsWith('/sync') || path === '/previews') continue
    // Other documents describe these routes, and Firecrawl's also wait for the page.
    if (methods.post && 'x-defined-by' in methods.post) continue
    for (const example of examplesOf(methods.post?.requestBody?.content['application/json'] ?? {})) {
      const answer = await service.ask(path, { body: example })
      const isKnown = !/"scraper\.unknown"|CredentialNotFound/.test(answer.text)
      assert.ok(answer.status < 300 || !isKnown, `POST ${path} ${JSON.stringify(example)}: ${answer.text}`)
      asked += 1
    }
  }
  assert.ok(asked > 8)
})
