// Tests the error that a waiting caller gets if its page fails or is late.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someTask } from '../../test/support/results-parts.ts'
import { answeredWithin, failureWhenLate, taskFailure } from './task-failure.ts'

test('the error code is the reason of the task, and the time of a later retry is included', () => {
  const task = someTask(1, { reason: 'host.throttled', message: 'HTTP 429', notBefore: 1_500 })
  const failure = taskFailure(task, 1_000, { jobId: 'job-1' })
  assert.deepEqual([failure.code, failure.message], ['host.throttled', 'HTTP 429'])
  assert.deepEqual(failure.details, { jobId: 'job-1', reason: 'host.throttled', retryAfterMs: 500 })
  assert.equal('retryAfterMs' in taskFailure(task, 1_500).details, false)
})

test('a reason that is not a failure code is reported as a bug, and the error names the page', () => {
  const failure = taskFailure(someTask(1, { reason: null }), 0)
  assert.equal(failure.code, 'internal.bug')
  assert.match(failure.message, /shop\.example/)
})

test('the engine gets a slightly shorter time limit than the caller', () => {
  assert.equal(answeredWithin(10_000).answerWithinMs, 9_500)
  assert.equal(answeredWithin(0).answerWithinMs, 1)
})

const failureOf = (
  task: object | null,
  { role = 'all-in-one', waiting = [] as object[], fails = false } = {},
) =>
  failureWhenLate(
    {
      clock: { now: () => 1_000 },
      store: { tasks: { get: async () => task } },
      fleet: () => ({ workers: [{ role }] }),
      engine: { progress: async () => (fails ? Promise.reject(new Error('gone')) : { waiting }) },
    } as never,
    'job-1',
    why => why,
  )
const late = async (...given: Parameters<typeof failureOf>) => (await failureOf(...given)).message

test('if a page still waits for its retry at the timeout, the error says why its last attempt failed', async () => {
  const failed = { state: 'pending', reason: 'host.unavailable', message: 'HTTP 503' } as const
  const failure = await failureOf(someTask(1, { ...failed, notBefore: 9_000 }))
  assert.deepEqual([failure.code, failure.message], ['host.unavailable', 'HTTP 503'])
  assert.equal(failure.details.retryAfterMs, 8_000)
  assert.equal((await failureOf(someTask(1, { ...failed, notBefore: 0 }))).details.retryAfterMs, 1_000)
  const slow = await failureOf(someTask(1, { ...failed, reason: 'fetch.timeout' }))
  assert.equal(slow.code, 'task.deadline')
})

test('the error for a page that is too late names what the page waits for', async () => {
  const task = someTask(1, { state: 'in_progress' })
  const pending = someTask(1, { state: 'pending', message: 'HTTP 503' })
  assert.equal(await late(pending), 'HTTP 503')
  assert.match(await late(task, { waiting: [{ reason: 'robots' }] }), /robots\.txt/)
  assert.match(await late(task, { waiting: [{ reason: 'breaker' }] }), /breaker/)
  const requested = await late(task, { waiting: [{ reason: 'in-flight' }] })
  assert.match(requested, /shop\.example/)
  assert.equal(await late(task), requested)
  assert.equal(await late(task, { fails: true }), requested)
  const noWorker = await late(task, { role: 'coordinator' })
  assert.match(noWorker, /worker/)
  assert.notEqual(await late(null), noWorker)
  assert.equal(await late(task, { role: 'http-worker' }), requested)
})
