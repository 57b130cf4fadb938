// Rows of schedules and of their runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunShown, ScheduleShown } from '../../roles/local/schedules.ts'
import { rowOf, runRow } from './schedules.ts'

const schedule = {
  ...{ scheduleId: 'sch-1', name: 'nightly', cron: '30 2 * * *', timeZone: 'UTC', paused: false },
  nextRuns: ['T1', 'T2'],
} as ScheduleShown

test('a row shows the next run, or why there is none', () => {
  assert.deepEqual(rowOf(schedule), ['sch-1', 'nightly', '30 2 * * *', 'UTC', 'T1'])
  assert.equal(rowOf({ ...schedule, paused: true }).at(-1), 'paused')
  assert.equal(rowOf({ ...schedule, nextRuns: [] }).at(-1), 'never')
})

test('a run shows its job and its reason', () => {
  const run = { tick: 'T1', outcome: 'skipped', jobId: null, reason: 'busy', catchUp: true } as RunShown
  assert.deepEqual(runRow(run), ['T1', 'skipped', '-', 'busy'])
  assert.notEqual(runRow({ ...run, reason: null })[3], '')
  assert.equal(runRow({ ...run, jobId: 'job-1', reason: null, catchUp: false })[3], '')
  assert.equal(runRow({ ...run, jobId: 'job-1' })[2], 'job-1')
})
