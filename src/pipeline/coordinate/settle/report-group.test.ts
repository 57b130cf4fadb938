// Tests when waiting reports are committed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TaskReport } from '../../../model/lane.ts'
import { ReportGroup } from './report-group.ts'

const reports = (jobId: string, count: number): TaskReport[] =>
  Array.from({ length: count }, (_, n) => ({ jobId, n }) as TaskReport)

/** Tasks in flight by job, reported ones included. */
const inFlight = (counts: Record<string, number>) => ({
  size: Object.values(counts).reduce((sum, count) => sum + count, 0),
  countOf: (jobId: string) => counts[jobId] ?? 0,
})

/** A group whose last commit was at 1,000, with reports from 1,001 on. */
function groupWith(jobId: string, count: number): ReportGroup {
  const group = new ReportGroup()
  group.take(1_000)
  group.add(reports(jobId, count), 1_001)
  return group
}

test('reports wait for more reports while other tasks of their job run', () => {
  assert.equal(groupWith('a', 20).dueAt(inFlight({ a: 30 })), 1_050)
})

test('reports are due at once when no task in flight is left', () => {
  assert.equal(groupWith('a', 20).dueAt(inFlight({ a: 20 })), 0)
})

test('a slow task of another job does not hold up a job whose tasks have all reported', () => {
  assert.equal(groupWith('a', 20).dueAt(inFlight({ a: 20, b: 1 })), 1_005)
})

test('many reports are due at once, and so are rare reports', () => {
  assert.equal(groupWith('a', 384).dueAt(inFlight({ a: 2_000 })), 0)
  assert.equal(groupWith('a', 1).dueAt(inFlight({ a: 30 })), 0)
})

test('nothing is due without reports', () => {
  const group = groupWith('a', 20)
  group.take(1_010)
  assert.equal(group.dueAt(inFlight({ a: 20 })), Number.POSITIVE_INFINITY)
  assert.equal(group.ageMs(1_030), 20)
})

test('the reports of a failed commit are committed with the next group, before newer ones', () => {
  const group = groupWith('a', 1)
  const taken = group.take(1_010)
  group.add(reports('b', 1), 1_011)
  group.putBack(taken)
  assert.deepEqual(
    group.take(1_020).map(({ jobId }) => jobId),
    ['a', 'b'],
  )
})
