// Property 9, in the scrape API: the status of a job follows from the outcomes of its tasks.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type TaskState, taskStates } from '../../src/model/task.ts'
import { jobStatusOf } from '../../src/pipeline/report/scrape-answers.ts'
import { Callbacks } from '../support/callbacks.ts'
import { ScrapeApi } from '../support/scrape-api.ts'

let api: ScrapeApi
let callbacks: Callbacks
before(async () => {
  callbacks = await Callbacks.open()
  api = await ScrapeApi.open({ settings: { allowPrivate: [callbacks.place] } })
  api.site.serve('/well', '<h1>well</h1>')
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await callbacks?.[Symbol.asyncDispose]()
})

const byStateOf = (tasks: TaskState[]) =>
  Object.fromEntries(taskStates.map(state => [state, tasks.filter(task => task === state).length])) as Record<
    TaskState,
    number
  >

test('Property 9: a job is completed if all its tasks succeed, failed if none does, and otherwise partially completed', () => {
  const ended = fc.constantFrom<TaskState>('succeeded', 'failed', 'skipped')
  fc.assert(
    fc.property(fc.array(ended, { minLength: 1, maxLength: 40 }), tasks => {
      const well = tasks.filter(state => state === 'succeeded').length
      const expected = well === tasks.length ? 'completed' : well === 0 ? 'failed' : 'partially_completed'
      assert.equal(jobStatusOf({ state: 'completed', reason: null }, byStateOf(tasks)), expected)
    }),
  )
})

// Fails if `jobStatusOf` calls a mix of outcomes completed, or if the webhook sends the internal state instead of the status that
// GET shows.
test('Property 9: the status of a batch follows from its tasks, both in GET and in the callback', async () => {
  const anyOutcomes = fc.array(fc.constantFrom('/well', '/not-there', '/private/page'), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(anyOutcomes, async paths => {
      const targets = paths.map(path => ({ url: `${api.site.url}${path}`, target_type: 'page' }))
      const body = { targets, callback_url: callbacks.url('/batch') }
      const { body: accepted } = await api.ask<{ job_id: string }>('/batch', { body })
      const { job_id } = accepted.data
      const [callback] = await callbacks.arrived(job_id)
      const job = await api.job(job_id)

      const well = paths.filter(path => path === '/well').length
      const status = well === paths.length ? 'completed' : well === 0 ? 'failed' : 'partially_completed'
      assert.equal(job.status, status)
      assert.deepEqual([job.completed_tasks, job.failed_tasks], [well, paths.length - well])
      assert.deepEqual(job.progress, { completed: paths.length, total: paths.length })
      const { results: _results, ...told } = callback!.body
      assert.deepEqual(told, job)
    }),
    { numRuns: 10 },
  )
})
