// Tests the token budget of a job that several processes share.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../ports/store.ts'
import { storeBudget } from './store-budget.ts'

test('tokens are reserved within the limit, and tokens that were not used are returned', async () => {
  const calls: unknown[] = []
  const jobs = {
    spend: async (...given: unknown[]) => {
      calls.push(given)
      return true
    },
  }
  const budget = storeBudget({ jobs } as unknown as Store, 'job-1', 500)
  assert.equal(await budget.reserve(100), true)
  await budget.settle(100, 70)
  assert.equal(budget.limit, 500)
  assert.deepEqual(calls, [
    ['job-1', 100, 500],
    ['job-1', -30],
  ])
})
