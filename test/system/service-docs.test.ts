// What the service says about itself: a valid description of the API, with examples that are true.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { TestService } from '../support/service.ts'

interface Description {
  openapi: string
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: { examples?: unknown[] } }> } }>
  >
}

type Validate = (document: unknown) => Promise<{ valid: boolean; errors?: unknown[] }>

/** The validator that the docs page brings along. */
async function validator(): Promise<Validate> {
  const docsPage = createRequire(import.meta.resolve('@scalar/fastify-api-reference'))
  const { validate } = await import(pathToFileURL(docsPage.resolve('@scalar/openapi-parser')).href)
  return validate as Validate
}

test('the description of the API is valid OpenAPI 3.1, in the names that callers write', async () => {
  await using service = await TestService.open()
  const { body } = await service.ask<Description>('/openapi.json', { key: null })
  const { valid, errors } = await (await validator())(body)
  assert.ok(valid, JSON.stringify(errors))
  assert.match(body.openapi, /^3\.1\./)
  assert.ok('/jobs/{job_id}/status' in body.paths)
  assert.ok(!/"(seedUrls|jobId|maxPages)"/.test(JSON.stringify(body)))
})

test('the examples of the API are accepted as they stand', async () => {
  await using service = await TestService.open()
  const { body } = await service.ask<Description>('/openapi.json')
  for (const [path, methods] of Object.entries(body.paths))
    for (const example of methods.post?.requestBody?.content['application/json']?.schema.examples ?? []) {
      const answer = await service.ask(path, { body: example })
      assert.ok(answer.status < 300, `POST ${path} ${JSON.stringify(example)}: ${answer.text}`)
    }
})
