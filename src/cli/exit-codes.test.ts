// Tests the exit code of each kind of ending, and which code is used if several apply.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, jobOf } from '../../test/support/job-values.ts'
import { type Ending, exitCodeOf, exitCodes } from './exit-codes.ts'

const codeOf = (change: Partial<Ending>): number =>
  exitCodeOf({ job: jobOf(), counts: countsOf({ records: 1, pages: 1 }), interrupted: false, ...change })

const some = { records: 1, pages: 1 }

test('a job with records and without failures exits with 0', () => {
  assert.equal(codeOf({}), exitCodes.ok)
})

test('the exit code of an interrupt has priority over all others', () => {
  const job = jobOf({ state: 'paused', reason: 'limit.pages' })
  assert.equal(codeOf({ job, interrupted: true }), exitCodes.interrupted)
})

test('a job that stopped at its limit exits with 4, whatever failed', () => {
  const job = jobOf({ state: 'paused', reason: 'limit.bytes' })
  assert.equal(codeOf({ job, counts: countsOf({ ...some, byState: { failed: 3 } }) }), exitCodes.budget)
})

test('a job that was cancelled, left paused or lost its input exits with 1', () => {
  for (const change of [
    { state: 'cancelled' },
    { state: 'paused', reason: 'user' },
    { state: 'failed', reason: 'input.invalid' },
  ] as const)
    assert.equal(codeOf({ job: jobOf(change) }), exitCodes.error, JSON.stringify(change))
})

test('a job exits with 5 if its host refused it permanently', () => {
  const throttled = countsOf({ ...some, byReason: { 'host.throttled': 1 } })
  assert.equal(codeOf({ counts: throttled }), exitCodes.blocked)
  for (const reason of ['breaker', 'waste.blocked'])
    assert.equal(codeOf({ job: jobOf({ state: 'paused', reason }) }), exitCodes.blocked, reason)
})

test('walls and robots.txt give exit code 5 only if no page succeeded', () => {
  const byReason = { 'robots.disallowed': 2 }
  assert.equal(codeOf({ counts: countsOf({ byReason }) }), exitCodes.blocked)
  assert.equal(codeOf({ counts: countsOf({ ...some, byReason }) }), exitCodes.ok)
})

test('a job without records exits with 6, or with 3 if its tasks failed', () => {
  assert.equal(codeOf({ counts: countsOf({ byState: { succeeded: 2 } }) }), exitCodes.nothing)
  const failed = jobOf({ state: 'failed' })
  assert.equal(codeOf({ job: failed, counts: countsOf({ byState: { failed: 2 } }) }), exitCodes.someFailed)
  assert.equal(codeOf({ counts: countsOf({ byState: { failed: 2, succeeded: 1 } }) }), exitCodes.nothing)
})

test('a map that found no URL exits with 6; a map that found URLs exits with 0, although it has no records', () => {
  const job = jobOf({ kind: 'map' })
  assert.equal(codeOf({ job, counts: countsOf({ tasks: 2, byState: { succeeded: 2 } }) }), exitCodes.ok)
  assert.equal(codeOf({ job, counts: countsOf({ tasks: 0 }) }), exitCodes.nothing)
})

test('a job with records and some failures exits with 3', () => {
  const counts = countsOf({ ...some, byState: { failed: 1, succeeded: 1 } })
  assert.equal(codeOf({ counts, job: jobOf({ state: 'partially_completed' }) }), exitCodes.someFailed)
})

test('dead links of a completed crawl give exit code 0, and 3 with --strict', () => {
  const byReason = { 'http.not-found': 1 }
  const counts = countsOf({ ...some, byState: { failed: 1, succeeded: 1 }, byReason })
  const job = jobOf({ state: 'completed' })
  assert.equal(codeOf({ counts, job }), exitCodes.ok)
  assert.equal(codeOf({ counts, job, strict: true }), exitCodes.someFailed)
})

test('a job that stops at the operator’s page limit exits with 4, a job that stops at its own page limit does not', () => {
  const counts = countsOf({ ...some, byReason: { 'budget.max-pages': 1 } })
  const asking = (maxPages?: number) =>
    codeOf({ counts, maxPagesPerJob: 10, job: jobOf({ spec: maxPages === undefined ? {} : { maxPages } }) })
  assert.equal(asking(), exitCodes.budget)
  assert.equal(asking(11), exitCodes.budget)
  assert.equal(asking(10), exitCodes.ok)
  assert.equal(codeOf({ counts: countsOf(some), maxPagesPerJob: 10 }), exitCodes.ok)
})
