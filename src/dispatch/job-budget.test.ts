// Tests the budget of a job: when it is used up, and how many tasks may start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobBudget } from './job-budget.ts'

const nothing = { pages: 0, bytes: 0, browserMs: 0 }
const prices = { perGb: 10, perBrowserHour: 36 }

test('without limits any task may start, and no limit is reached', () => {
  const budget = new JobBudget({}, { ...nothing, bytes: 1e15 })
  assert.equal(budget.allowance(500), Number.POSITIVE_INFINITY)
  assert.equal(budget.reached, null)
})

test('pages in flight count towards the page limit, so that the job never exceeds it', () => {
  const budget = new JobBudget({ limits: { pages: 10 } }, { ...nothing, pages: 4 })
  assert.equal(budget.allowance(6), 0)
  for (let page = 0; page < 6; page++) budget.spend({ ...nothing, pages: 1 })
  assert.equal(budget.reached, 'limit.pages')
})

test('tasks start as long as their average cost fits into the budget; with less budget left, one task may still start', () => {
  const budget = new JobBudget({ limits: { bytes: 10_000 } }, nothing)
  assert.equal(budget.allowance(0), 4, 'the cost of a task is not known yet')
  budget.spend({ ...nothing, bytes: 1_000 })
  assert.equal(budget.allowance(0), 9)
  assert.equal(budget.allowance(9), 0)
  for (let task = 0; task < 8; task++) budget.spend({ ...nothing, bytes: 1_100 })
  assert.equal(budget.allowance(0), 1)
  budget.spend({ ...nothing, bytes: 300 })
  assert.equal(budget.reached, 'limit.bytes')
  assert.equal(budget.allowance(0), 0)
})

test('the cost of a job is its bytes and its browser time at their prices', () => {
  const budget = new JobBudget({ limits: { money: 1 }, prices }, { ...nothing, bytes: 50_000_000 })
  assert.equal(budget.spent.money, 0.5)
  budget.spend({ pages: 1, bytes: 0, browserMs: 50_000 })
  assert.equal(budget.spent.money, 1)
  assert.equal(budget.reached, 'limit.money')
  budget.limits = { money: 2 }
  assert.equal(budget.reached, null)
})
