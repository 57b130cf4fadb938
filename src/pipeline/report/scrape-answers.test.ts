// Tests which status the scrape API shows for each state of a job or a task.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, jobOf } from '../../../test/support/job-values.ts'
import type { Task } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'
import { cancelledReason } from '../coordinate/running-job.ts'
import { jobShown, jobStatusOf, targetTypeOf, taskShown, taskStatusOf } from './scrape-answers.ts'

const { byState: none } = countsOf()

test('the caller of the scrape API sees a skipped page as failed', () => {
  assert.equal(taskStatusOf.skipped, 'failed')
})

test('after a job has ended, its tasks decide its status', () => {
  const ended = { state: 'completed', reason: null } as const
  assert.equal(jobStatusOf(ended, { ...none, succeeded: 1 }), 'completed')
  assert.equal(jobStatusOf(ended, { ...none, succeeded: 1, skipped: 1 }), 'partially_completed')
  assert.equal(jobStatusOf(ended, { ...none, failed: 1 }), 'failed')
  assert.equal(jobStatusOf({ state: 'pending', reason: null }, none), 'queued')
  assert.equal(jobStatusOf({ state: 'paused', reason: 'user' }, { ...none, failed: 1 }), 'running')
})

test('a job that is being cancelled counts as cancelled, although its last tasks still run', () => {
  assert.equal(jobStatusOf({ state: 'finishing', reason: cancelledReason }, none), 'cancelled')
  assert.equal(jobStatusOf({ state: 'finishing', reason: null }, none), 'running')
})

test('the counts of a job add up to its tasks', () => {
  const byState = { pending: 1, queued: 2, in_progress: 3, succeeded: 4, failed: 5, skipped: 6, cancelled: 7 }
  const shown = jobShown(jobOf({ state: 'running' }), countsOf({ tasks: 28, byState }))
  const { queued_tasks, running_tasks, completed_tasks, failed_tasks, cancelled_tasks } = shown
  assert.deepEqual(
    [queued_tasks, running_tasks, completed_tasks, failed_tasks, cancelled_tasks],
    [3, 3, 4, 11, 7],
  )
  assert.deepEqual(shown.progress, { completed: 22, total: 28 })
})

test('the summary counts failures by error name, and leaves out reasons that are not failures', () => {
  const byReason = { ok: 3, 'fetch.timeout': 2, 'job.cancelled': 1 } as const
  const { errors } = jobShown(jobOf(), countsOf({ byReason })).summary
  assert.deepEqual(Object.values(errors), [2])
})

const taskOf = (change: Partial<Task>): Task =>
  ({
    jobId: 'job-1',
    n: 1,
    url: 'https://a.example/',
    state: 'succeeded',
    attempt: 1,
    input: null,
    ...change,
  }) as Task

const storeOf = (records: string[], attempts: Array<{ startedAt: number; endedAt: number }>) =>
  ({
    records: { ofTask: async () => records.map(data => ({ data, way: null })) },
    tasks: { attempts: async () => attempts },
  }) as unknown as Pick<Store, 'tasks' | 'records'>

test('the result of a task is its first record, and further records are in a separate list', async () => {
  const store = storeOf(['{"a":1}', '{"a":2}'], [{ startedAt: 1, endedAt: 2 }])
  const shown = await taskShown(store, jobOf(), taskOf({}))
  assert.deepEqual([shown.result, shown.further_results, shown.error], [{ a: 1 }, [{ a: 2 }], null])
  assert.equal(shown.completed_at, new Date(2).toISOString())
})

test('a task that will be retried has neither an end time nor a result', async () => {
  const store = storeOf(['{"a":1}'], [{ startedAt: 1, endedAt: 2 }])
  const shown = await taskShown(store, jobOf(), taskOf({ state: 'pending' }))
  assert.deepEqual([shown.completed_at, shown.result, shown.error], [null, null, null])
})

test('a failed task has an error that says why', async () => {
  const failed = taskOf({ state: 'failed', reason: 'fetch.timeout', message: 'too slow' })
  const { error } = await taskShown(storeOf([], []), jobOf(), failed)
  assert.deepEqual([error?.message, error?.details], ['too slow', { reason: 'fetch.timeout' }])
})

test('in a batch for several scrapers, each row names its scraper', () => {
  const input = '{"target_type":"two"}'
  assert.equal(targetTypeOf(jobOf({ spec: { scraperId: 'one' } }), { input }), 'one')
  assert.equal(targetTypeOf(jobOf({ spec: { scraperId: 'one+two' } }), { input }), 'two')
})
