// Tests letter case: snake_case in requests and responses, camelCase in the program, and errors about wrong field names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import type { Failure } from '../../model/failures.ts'
import { answerText, checkedBy } from './letter-case.ts'

const schema = z.strictObject({
  seedUrls: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  policy: z.strictObject({ maxRate: z.number() }).optional(),
})
const check = checkedBy({ schema, httpPart: 'body' })
const refusal = (given: unknown): Failure => (check(given) as { error: Failure }).error

test('field names are received in snake_case and checked in camelCase; names in user data stay unchanged', () => {
  const given = { seed_urls: ['a'], headers: { X_Own: 'b' } }
  assert.deepEqual(check(given), { value: { seedUrls: ['a'], headers: { X_Own: 'b' } } })
})

test('the error for a name in camelCase gives the name in snake_case, also in nested objects', () => {
  assert.match(refusal({ seedUrls: [] }).message, /seedUrls: .*"seed_urls"/)
  assert.equal(refusal({ policy: { maxRate: 1 } }).details.path, 'policy.maxRate')
  assert.equal(refusal([{ maxRate: 1 }]).details.path, '[0].maxRate')
})

test('the error for an unknown name suggests the nearest known name, in the caller’s letter case', () => {
  assert.match(refusal({ seed_urlz: [] }).message, /seed_urls/)
  assert.match(refusal({ policy: { max_rat: 1 } }).message, /max_rate/)
})

test('a value that is nested too deeply is refused before it is parsed', () => {
  let deep: unknown = 1
  for (let at = 0; at < 50_000; at++) deep = [deep]
  assert.match(refusal({ policy: deep }).message, /nested too deeply/)
})

test('if a body has many errors, twenty are returned, with a note that there may be more', () => {
  const problems = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`wrongName${at}`, 1]))
  assert.match(refusal(problems).message, /there may be more$/)
  assert.equal((refusal(problems).details.problems as unknown[]).length, 20)
})

test('a path with an invalid id is not found, and a valid id is checked only once', () => {
  let checks = 0
  const id = z.string().refine(text => {
    checks++
    return text !== 'wrong'
  }, 'wrong')
  const path = checkedBy({ schema: z.object({ jobId: id }), httpPart: 'params' })
  assert.equal((path({ jobId: 'wrong' }) as { error: Failure }).error.code, 'route.unknown')
  assert.match((path({ jobId: 'wrong' }) as { error: Failure }).error.message, /job_id/)
  assert.deepEqual(
    [path({ jobId: 'a' }), path({ jobId: 'a' })],
    [{ value: { jobId: 'a' } }, { value: { jobId: 'a' } }],
  )
  assert.equal(checks, 3)
})

test('responses use snake_case, user data stays unchanged', () => {
  assert.equal(answerText({ jobId: 'a', data: { ownName: 1 } }), '{"job_id":"a","data":{"ownName":1}}')
})
