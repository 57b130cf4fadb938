// Tests several scrapers that are combined into one: each row names its scraper, and the lowest rate applies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import type { StandardResult } from '../model/standard-schema.ts'
import { defineScraper } from './define-scraper.ts'
import { Registry } from './registry.ts'

const rules = { fields: { title: 'title' } }
const slow = defineScraper({ id: 'slow', rules, policy: { host: { rate: 0.5, concurrency: 4 } } })
const single = defineScraper({ id: 'single', rules, policy: { host: { concurrency: 1 } } })
const strict = defineScraper({ id: 'strict', rules, input: z.strictObject({ url: z.url() }) })
const registry = new Registry([slow, single, strict])

const problemsOf = (row: Record<string, unknown>) => {
  const result = registry.get('slow+strict').input!['~standard'].validate(row) as StandardResult<unknown>
  return result.issues?.map(({ path }) => String(path?.[0]))
}

test('a row names its scraper, and must match the input schema of that scraper', () => {
  assert.equal(problemsOf({ target_type: 'slow', anything: 1 }), undefined)
  assert.equal(problemsOf({ target_type: 'strict', url: 'https://a.example/' }), undefined)
  assert.deepEqual(problemsOf({ target_type: 'strict', url: 'no address' }), ['url'])
  assert.deepEqual(problemsOf({ target_type: 'single', url: 'https://a.example/' }), ['target_type'])
})

test('a batch with several scrapers runs at the rate of the slowest scraper', () => {
  assert.deepEqual(registry.get('slow+single+strict').policy, { host: { rate: 0.5, concurrency: 1 } })
})

test('the error for a row with an unknown scraper names that scraper', () => {
  assert.throws(() => registry.get('slow+strickt'), { code: 'scraper.unknown', message: /"strickt".*strict/ })
})
