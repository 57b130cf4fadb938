// Tests the JSON form of jobs, waits and records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import { someRecord, someTask } from '../../../../test/support/results-parts.ts'
import { idIn } from '../../../model/access.ts'
import { taskId } from '../../../model/ids.ts'
import { shownJob, shownTask, withSources } from './views.ts'

test('a job is shown with the id that its caller chose, in its links too', () => {
  const shown = shownJob(
    jobOf({ id: idIn('team', 'nightly'), workspace: 'team', scheduleId: idIn('team', 's') }),
    'http://k',
  )
  assert.deepEqual(
    [shown.jobId, shown.scheduleId, shown.links.status],
    ['nightly', 's', 'http://k/jobs/nightly/status'],
  )
  assert.doesNotMatch(JSON.stringify(shown), /team/)
})

test('unknown times of a job are null', () => {
  const { startedAt, finishedAt, traceId } = shownJob(jobOf({ startedAt: null, finishedAt: 1_000 }), '')
  assert.deepEqual([startedAt, finishedAt, traceId], [null, '1970-01-01T00:00:01.000Z', null])
})

test('the name of a task is the id of its item', () => {
  assert.equal(shownTask(someTask(3, { itemId: 'tea' })).itemId, 'tea')
  const unnamed = shownTask(someTask(3))
  assert.deepEqual([unnamed.itemId, unnamed.taskId], ['task-3', taskId('job-1', 3)])
})

test('a record without provenance is shown without this field', () => {
  assert.deepEqual(withSources(someRecord(1, { a: 1 })).provenance, {})
  const record = someRecord(1, { a: 1 }, { provenance: '{"a":{"from":"css"}}' })
  assert.deepEqual(withSources(record).provenance, { a: { from: 'css' } })
})
