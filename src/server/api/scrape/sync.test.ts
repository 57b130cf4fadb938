// Tests when a failed task counts as a timeout of the caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ranOutOfTime } from './sync.ts'

const failed = (reason: 'fetch.timeout' | 'task.deadline' | 'http.not-found') =>
  ({ state: 'failed', reason }) as const

test('if a page failed because it used up the caller’s timeout, the caller gets a timeout error', () => {
  assert.equal(ranOutOfTime(failed('fetch.timeout'), 1_000, 1_000), true)
  assert.equal(ranOutOfTime(failed('task.deadline'), 950, 1_000), true)
})

test('if a page timed out earlier, or failed for another reason, the caller gets that error', () => {
  assert.equal(ranOutOfTime(failed('fetch.timeout'), 949, 1_000), false)
  assert.equal(ranOutOfTime(failed('http.not-found'), 1_000, 1_000), false)
  assert.equal(ranOutOfTime({ state: 'cancelled', reason: 'fetch.timeout' }, 1_000, 1_000), false)
})
