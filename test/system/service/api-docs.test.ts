// Tests docs/api.md and docs/choose-api.md: the example program runs unchanged, every route is named, and the states match the code.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { blocksOf } from '../../../ci/docs-check/markdown.ts'
import { jobBody } from '../../../src/model/api/jobs.ts'
import { jobStates } from '../../../src/model/job.ts'
import { snake } from '../../../src/model/letter-case.ts'
import { taskStates } from '../../../src/model/task.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { operatorKey, TestService } from '../../support/service.ts'

const docs = join(import.meta.dirname, '../../../docs')
const page = readFileSync(join(docs, 'api.md'), 'utf8')
const faces = readFileSync(join(docs, 'choose-api.md'), 'utf8')
const [program] = blocksOf({ path: 'docs/api.md', text: page }).filter(({ language }) => language === 'ts')

let site: TestSite
let service: TestService
let folder: string
before(async () => {
  site = await startTestSite()
  service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
  folder = await mkdtemp(join(tmpdir(), 'kscrape-docs-'))
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const here = (example: string): string =>
  example
    .replaceAll('127.0.0.1:8080', `${site.host}:${site.port}`)
    .replaceAll('http://127.0.0.1:8001', service.url)
    .replaceAll('a-key-of-16-or-more', operatorKey)

async function run(program: string, args: string[]): Promise<string> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, SERVER: service.url, KEY: operatorKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  assert.equal(code, 0, `${args.at(-1)}\n${said}\n${complaint}`)
  return said
}

test('the program in docs/api.md runs unchanged', async () => {
  await symlink(join(docs, '../node_modules'), join(folder, 'node_modules')).catch(() => {})
  const client = JSON.stringify(join(docs, '../src/client.ts'))
  await writeFile(join(folder, 'app.ts'), here(program!.text).replace("'kscrape/client'", client))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const said = await run(process.execPath, ['app.ts'])
  assert.equal(said.trim().split('\n').length, 3)
})

test('docs/api.md names every route of the service and no others', async () => {
  const { body } = await service.ask<{ paths: Record<string, object> }>('/openapi.json')
  const routes = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      // Other documents describe these routes.
      'x-defined-by' in operation ? [] : [`${method.toUpperCase()} ${path}`],
    ),
  )
  const table = page.slice(page.indexOf('## All routes'))
  const named = [...table.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g)].map(([, route]) => route!)
  assert.deepEqual(named.sort(), routes.sort())
})

test('no description in the OpenAPI file only repeats the name of its field', async () => {
  const { body } = await service.ask<object>('/openapi.json')
  assert.deepEqual(emptyDescriptions(body), [])
})

/** The fields and parameters whose description has no other words than their name. */
function emptyDescriptions(schema: unknown, name = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { description, name: parameter } = schema as { description?: unknown; name?: unknown }
  const own = typeof parameter === 'string' ? parameter : name
  const isEmpty = typeof description === 'string' && wordsOf(description) === wordsOf(own)
  const inside = Object.entries(schema).flatMap(([key, value]) => emptyDescriptions(value, key))
  return isEmpty ? [`${own}: ${description}`, ...inside] : inside
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^(the|a|an) /, '')
    .replace(/[^a-z\d]+/g, ' ')
    .trim()

test('docs/api.md names every field of a job', () => {
  const fields = Object.keys(jobBody.shape).map(snake)
  assert.deepEqual(
    fields.filter(field => !page.includes(`\`${field}\``)),
    [],
  )
})

test('docs/choose-api.md has every state of jobs and tasks', () => {
  const states = faces.slice(faces.indexOf('## How states map'), faces.indexOf('## How fields map'))
  for (const state of [...jobStates, ...taskStates]) assert.match(states, new RegExp(`\`${state}\``))
})
