// Property 9, at the scrape face: the status of a job follows from how its tasks ended.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type TaskState, taskStates } from '../../src/model/task.ts'
import { jobStatusOf } from '../../src/pipeline/report/scrape-answers.ts'
import { ScrapeApi } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
  api.site.serve('/well', '<h1>well</h1>')
})
after(() => api?.[Symbol.asyncDispose]())

const byStateOf = (tasks: TaskState[]) =>
  Object.fromEntries(taskStates.map(state => [state, tasks.filter(task => task === state).length])) as Record<
    TaskState,
    number
  >

test('Property 9: all well is completed, all failed is failed, a mix is partially completed', () => {
  const ended = fc.constantFrom<TaskState>('succeeded', 'failed', 'skipped')
  fc.assert(
    fc.property(fc.array(ended, { minLength: 1, maxLength: 40 }), tasks => {
      const well = tasks.filter(state => state === 'succeeded').length
      const expected = well === tasks.length ? 'completed' : well === 0 ? 'failed' : 'partially_completed'
      assert.equal(jobStatusOf({ state: 'completed', reason: null }, byStateOf(tasks)), expected)
    }),
  )
})

test('Property 9: of real batches too, with counters that fit', async () => {
  const anyOutcomes = fc.array(fc.constantFrom('/well', '/not-there'), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(anyOutcomes, async paths => {
      const targets = paths.map(path => ({ url: `${api.site.url}${path}`, target_type: 'page' }))
      const { job_id } = await api.batch(targets)
      await api.service.ended(job_id)
      const job = await api.job(job_id)
      const well = paths.filter(path => path === '/well').length
      assert.deepEqual([job.completed_tasks, job.failed_tasks], [well, paths.length - well])
      assert.deepEqual(job.progress, { completed: paths.length, total: paths.length })
      assert.equal(
        job.status,
        well === paths.length ? 'completed' : well === 0 ? 'failed' : 'partially_completed',
      )
    }),
    { numRuns: 10 },
  )
})
