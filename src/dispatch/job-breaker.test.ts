// Tests the breaker of a job: when it pauses the job, and how the job resumes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobBreaker } from '../model/policy/policy.ts'
import { JobBreaker, jobVerdict } from './job-breaker.ts'

const minute = 60_000
const breakerWith = (policy = {}) => new JobBreaker(jobBreaker.parse(policy))
const record = (breaker: JobBreaker, outcomes: boolean[], now = 0) => {
  for (const ok of outcomes) breaker.record(ok, now)
}
const times = (count: number, ok: boolean) => Array.from({ length: count }, () => ok)

test('twenty failures in a row pause the job, nineteen do not', () => {
  const breaker = breakerWith({ minimum: 1_000 })
  record(breaker, [...times(19, false), true, ...times(19, false)])
  assert.equal(breaker.state(0), 'closed')
  record(breaker, [false])
  assert.equal(breaker.state(0), 'open')
  assert.equal(breaker.openUntil, 5 * minute)
  assert.equal(breaker.allowance(0, 0), 0)
})

test('the job pauses if half of the last hundred tasks failed; at least twenty tasks are needed', () => {
  const breaker = breakerWith()
  record(breaker, [...times(9, false), ...times(9, true), false])
  assert.equal(breaker.state(0), 'closed')
  record(breaker, [false])
  assert.equal(breaker.state(0), 'open')
})

test('a failure no longer counts after a hundred later tasks', () => {
  const breaker = breakerWith()
  record(breaker, [
    ...times(60, true),
    ...times(19, false),
    true,
    ...times(19, false),
    ...times(90, true),
    ...times(19, false),
  ])
  assert.equal(breaker.state(0), 'closed')
})

test('after the pause a few test requests run, and the job resumes if they succeed', () => {
  const breaker = breakerWith()
  record(breaker, times(20, false))
  assert.equal(breaker.state(5 * minute - 1), 'open')
  assert.equal(breaker.state(5 * minute), 'half_open')
  assert.equal(breaker.allowance(0, 5 * minute), 3)
  assert.equal(breaker.allowance(2, 5 * minute), 1)
  record(breaker, times(3, true), 5 * minute)
  assert.equal(breaker.state(5 * minute), 'closed')
  assert.equal(breaker.openUntil, null)
})

test('a failed test request starts another pause, and outcomes that arrive during a pause change nothing', () => {
  const breaker = breakerWith()
  record(breaker, times(20, false))
  record(breaker, times(50, true), minute)
  assert.equal(breaker.state(minute), 'open')
  record(breaker, [true, false], 6 * minute)
  assert.equal(breaker.openUntil, 11 * minute)
})

test('a pause by the breaker continues after a restart', () => {
  const breaker = new JobBreaker(jobBreaker.parse({}), 3 * minute)
  assert.equal(breaker.state(2 * minute), 'open')
  assert.equal(breaker.state(3 * minute), 'half_open')
})

test('skipped tasks, failures of kscrape itself, silent hosts and walls do not count towards the breaker of the job', () => {
  assert.equal(jobVerdict('ok'), true)
  assert.equal(jobVerdict('not-modified'), true)
  for (const reason of ['http.server-error', 'fetch.timeout', 'body.truncated'] as const)
    assert.equal(jobVerdict(reason), false, reason)
  for (const reason of [
    'duplicate.content',
    'robots.disallowed',
    'scope.refused',
    'worker.stopping',
    'host.throttled',
    'connect.refused',
    'dns.not-found',
    'host.unreachable',
    'blocked.captcha',
  ] as const)
    assert.equal(jobVerdict(reason), null, reason)
})
