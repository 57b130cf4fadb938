// Tests the cache key of a response, and which jobs may use the cached response.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ZodObject } from 'zod'
import { type JobSpecInput, jobSpec } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import { executionPolicy } from '../../model/policy/policy.ts'
import { identityPolicy, proxyPolicy } from '../../model/policy/proxy.ts'
import { browserPolicy } from '../../model/policy/rendering.ts'
import type { LeasedTask } from '../../model/task.ts'
import { defineScraper } from '../../scraper/define-scraper.ts'
import {
  answerKey,
  type Influence,
  influencesOfBrowser,
  influencesOfIdentity,
  influencesOfPolicy,
  influencesOfProxy,
  influencesOfSpec,
} from './answer-influences.ts'

const reader = defineScraper({ id: 'reader', rules: { fields: {} } as never })
const task: LeasedTask = {
  ...{
    jobId: 'j',
    n: 1,
    attempt: 1,
    charged: 0,
    kind: 'page',
    url: 'https://a.example/x',
    host: 'a.example',
  },
  ...{ depth: 0, priority: 0, input: null, itemId: null, way: 'http', wayWhy: null },
}

function keyOf(given: JobSpecInput = {}, lane: Partial<LaneJob> = {}, more: object = {}): string | null {
  const spec = jobSpec.parse({ urls: [task.url], ...given })
  const job = {
    id: 'j',
    kind: 'list',
    workspace: 'default',
    spec,
    userAgent: 'kscrape',
    cookies: null,
    slots: 1,
    ...lane,
  } satisfies LaneJob
  return answerKey({ lane: job, task, policy: spec.policy, scraper: reader, ...more })
}

const schemas: Array<[string, ZodObject, Record<string, Influence>]> = [
  ['a job', jobSpec, influencesOfSpec],
  ['a policy', executionPolicy, influencesOfPolicy],
  ['proxies', proxyPolicy, influencesOfProxy],
  ['identities', identityPolicy, influencesOfIdentity],
  ['the browser', browserPolicy, influencesOfBrowser],
]

for (const [name, schema, table] of schemas)
  test(`every field of ${name} has a rule for cached responses, and each exception has a reason`, () => {
    const known = new Set([...Object.keys(schema.shape), ...(schema === jobSpec ? ['policyFrom'] : [])])
    assert.deepEqual(new Set(Object.keys(table)), known)
    for (const [field, influence] of Object.entries(table))
      if (typeof influence === 'object') assert.ok(influence.none.length > 5, field)
  })

test('two workspaces never share a cached response', () => {
  assert.notEqual(keyOf({}, { workspace: 'alpha' }), keyOf({}, { workspace: 'beta' }))
  assert.notEqual(keyOf({}, { workspace: 'alpha' }), keyOf({}, { workspace: 'default' }))
})

test('personal responses are never cached', () => {
  const asked: JobSpecInput[] = [
    { headers: { Authorization: 'x' } },
    { headers: { 'X-Anything': 'x', Accept: 'text/html' } },
    { session: 'mine' },
    { actions: [{ type: 'click', selector: 'a' }] as never },
    { policy: { identity: { headers: 'browser' } } },
    { policy: { identity: { tls: 'browser' } } },
    { policy: { identity: { count: 2 } } },
    { policy: { identity: { browser: 'stealth' } } },
  ]
  for (const spec of asked) assert.equal(keyOf(spec), null, JSON.stringify(spec))
  assert.equal(keyOf({}, { cookies: '[{}]' }), null)
  assert.equal(keyOf({}, { sessionCookies: '[]' }), null)
  const scraper = defineScraper({ id: 'member', credentials: 'shop', run: () => {} })
  assert.equal(keyOf({}, {}, { scraper }), null)
})

test('fields that change the page or its records are part of the cache key', () => {
  const asked: JobSpecInput[] = [
    {},
    { extract: { fields: { title: 'h1' } } as never },
    { pii: 'mask' },
    { pii: 'drop' },
    { llm: 'fallback' },
    { llmTokens: 5 },
    { render: 'always' },
    { render: 'auto' },
    { browser: 'stealth' },
    { rendering: { waitFor: 'main' } },
    { rendering: { mobile: true } },
    { rendering: { block: ['ads'] } },
    { rendering: { js: 'document.title' } },
    { headers: { 'Accept-Language': 'de' } },
    { headers: { 'Accept-Language': 'fr' } },
    { policy: { robots: 'ignore' } },
    { policy: { proxy: { country: 'de' } } },
    { policy: { proxy: { country: 'fr' } } },
    { policy: { proxy: { urls: ['http://proxy.example:1'] } } },
    { policy: { proxy: { use: 'never' } } },
    { render: 'auto', policy: { browser: { isolation: 'task' } } },
  ]
  const keys = asked.map(spec => keyOf(spec))
  assert.ok(keys.every(key => key !== null))
  assert.equal(new Set(keys).size, asked.length)
  assert.notEqual(keyOf({}, { userAgent: 'other' }), keyOf())
  assert.notEqual(keyOf({}, {}, { task: { ...task, url: 'https://a.example/y' } }), keyOf())
})

test('fields that affect neither the page nor its records are not part of the cache key', () => {
  const asked: JobSpecInput[] = [
    {
      jobId: 'other',
      query: 'keep',
      labels: { a: 'b' },
      maxAgeMs: 5,
      concurrency: 3,
      dedupe: true,
      timeoutMs: 1_000,
    },
    { policy: { retries: { attempts: 1 }, host: { rate: 5 }, identity: { restMs: 5 } } },
    { output: [{ path: 'x.csv', format: 'csv' }], results: { raw: 'none' } },
    { headers: {} },
    { policy: { browser: { isolation: 'task' } } },
  ]
  for (const spec of asked) assert.equal(keyOf(spec), keyOf(), JSON.stringify(spec))
})

test('the row of a task is part of the cache key if a scraper’s code reads it', () => {
  const scraper = defineScraper({ id: 'code', run: () => {} })
  const row = { task: { ...task, input: '{"a":1}' } }
  assert.notEqual(keyOf({}, {}, { scraper, ...row }), keyOf({}, {}, { scraper }))
  assert.equal(keyOf({}, {}, row), keyOf())
})

test('the cache key depends on the policy that applies to the task', () => {
  const policy = executionPolicy.parse({ identity: { headers: 'browser' } })
  assert.equal(keyOf({}, {}, { policy }), null)
  assert.notEqual(keyOf({}, {}, { policy: executionPolicy.parse({ proxy: { country: 'de' } }) }), keyOf())
})
