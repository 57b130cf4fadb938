// When a failed task counts as a timeout of the caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ranOutOfTime } from './sync.ts'

const failed = (reason: 'fetch.timeout' | 'task.deadline' | 'http.not-found') =>
  ({ state: 'failed', reason }) as const

test('if a request used up the caller’s time, the caller gets a timeout', () => {
  assert.equal(ranOutOfTime(failed('fetch.timeout'), 1_000, 1_000), true)
  assert.equal(ranOutOfTime(failed('task.deadline'), 950, 1_000), true)
})

test('if a request timed out earlier, or failed otherwise, the caller gets that error', () => {
  assert.equal(ranOutOfTime(failed('fetch.timeout'), 949, 1_000), false)
  assert.equal(ranOutOfTime(failed('http.not-found'), 1_000, 1_000), false)
  assert.equal(ranOutOfTime({ state: 'cancelled', reason: 'fetch.timeout' }, 1_000, 1_000), false)
})
