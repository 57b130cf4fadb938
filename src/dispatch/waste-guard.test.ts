// Tests when a job has met so many walls that it must stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../model/task.ts'
import { WasteGuard } from './waste-guard.ts'

function guardAfter(reasons: Reason[], policy = { window: 10, share: 0.5 }): WasteGuard {
  const guard = new WasteGuard(policy)
  for (const reason of reasons) guard.record(reason)
  return guard
}
const many = (count: number, reason: Reason): Reason[] => Array.from({ length: count }, () => reason)

test('the waste guard stops a job if more than half of its last tasks ended at walls, but not if half did', () => {
  assert.equal(guardAfter([...many(5, 'ok'), ...many(5, 'blocked.login')]).isTripped, false)
  assert.equal(guardAfter([...many(4, 'ok'), ...many(6, 'blocked.captcha')]).isTripped, true)
})

test('the waste guard decides only after a full window of tasks, and counts only walls', () => {
  assert.equal(guardAfter(many(9, 'blocked.refused')).isTripped, false)
  assert.equal(guardAfter(many(10, 'http.server-error')).isTripped, false)
})

test('a share of 1 disables the waste guard, and a reset restarts its count', () => {
  assert.equal(guardAfter(many(50, 'blocked.login'), { window: 10, share: 1 }).isTripped, false)
  const guard = guardAfter(many(10, 'blocked.login'))
  assert.equal(guard.isTripped, true)
  guard.reset()
  assert.equal(guard.isTripped, false)
})

test('after the first walls, only as many tasks start as the waste guard still needs for its decision', () => {
  assert.equal(guardAfter(many(8, 'ok')).allowance(0), Number.POSITIVE_INFINITY)
  assert.equal(guardAfter(many(4, 'blocked.login')).allowance(2), 4)
  assert.equal(guardAfter(many(10, 'blocked.login')).allowance(0), 0)
})

test('a job slows down when a quarter of its tasks end at walls, but not before', () => {
  assert.equal(guardAfter([]).allowance(0), Number.POSITIVE_INFINITY)
  assert.equal(guardAfter([...many(4, 'ok'), 'blocked.login']).allowance(3), Number.POSITIVE_INFINITY)
  assert.equal(guardAfter([...many(3, 'ok'), 'blocked.login']).allowance(2), 4)
})

test('once the waste guard has a full window, one task at a time tests whether the walls are still there', () => {
  const guard = guardAfter([...many(7, 'ok'), ...many(3, 'blocked.login')])
  assert.equal(guard.allowance(0), 1)
  assert.equal(guard.allowance(1), 0)
})
