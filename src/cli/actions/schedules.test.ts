// Tests how schedules and their runs are printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunShown, ScheduleShown } from '../../roles/local/schedules.ts'
import { rowOf, runRow } from './schedules.ts'

const schedule = {
  ...{ scheduleId: 'sch-1', name: 'nightly', cron: '30 2 * * *', timeZone: 'UTC', paused: false },
  nextRuns: ['T1', 'T2'],
} as ScheduleShown

test('a row of the schedule list shows the next run, or why there is none', () => {
  assert.deepEqual(rowOf(schedule), ['sch-1', 'nightly', '30 2 * * *', 'UTC', 'T1'])
  assert.equal(rowOf({ ...schedule, paused: true }).at(-1), 'paused')
  assert.equal(rowOf({ ...schedule, nextRuns: [] }).at(-1), 'never')
})

test('a row of the run list shows the job and the reason of the run', () => {
  const run = { tick: 'T1', outcome: 'skipped', jobId: null, job: null, reason: 'busy', catchUp: true }
  const shown = run as RunShown
  assert.deepEqual(runRow(shown), ['T1', 'skipped', '-', '-', '-', 'busy'])
  assert.notEqual(runRow({ ...shown, reason: null })[5], '')
  assert.equal(runRow({ ...shown, jobId: 'job-1', reason: null, catchUp: false })[5], '')
  assert.equal(runRow({ ...shown, jobId: 'job-1' })[4], 'job-1')
})

test('a run that started shows how its job ended, with counts', () => {
  const job = { status: 'partially_completed', tasks: 9, succeeded: 7, failed: 2, skipped: 0, records: 7 }
  const run = {
    tick: 'T1',
    outcome: 'started',
    jobId: 'job-1',
    job,
    reason: null,
    catchUp: false,
  } as RunShown
  assert.deepEqual(runRow(run), ['T1', 'partially_completed', '9, 2 failed', '7', 'job-1', ''])
  const whole = { ...run, job: { ...run.job!, failed: 0 } }
  assert.equal(runRow(whole)[2], '9')
})
