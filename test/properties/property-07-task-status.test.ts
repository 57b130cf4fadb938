// Property 7: a task reports its current state. Its result exists after the task has completed, and not earlier.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { taskStates } from '../../src/model/task.ts'
import { taskStatusOf } from '../../src/pipeline/report/scrape-answers.ts'
import { ScrapeApi, type ShownTask } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
})
after(() => api?.[Symbol.asyncDispose]())

function checkResult({ status, result, error }: ShownTask): void {
  assert.equal(result !== null, status === 'completed')
  assert.equal(error !== null, status === 'failed')
}

test('Property 7: every state of a task is shown as a status of the scrape API', () => {
  const expected = ['queued', 'queued', 'running', 'completed', 'failed', 'failed', 'cancelled']
  assert.deepEqual(
    taskStates.map(state => taskStatusOf[state]),
    expected,
  )
})

test('Property 7: a task has a status before, during and after the fetch of its page', async () => {
  let round = 0
  const answers = fc.array(fc.constantFrom(200, 404), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(answers, async statuses => {
      const path = `/round-${round++}`
      const { site } = api
      statuses.forEach((status, index) => {
        site.serve(`${path}/${index}`, {
          status,
          headers: { 'content-type': 'text/html' },
          body: '<h1>x</h1>',
        })
      })
      using hold = site.hold(`${path}/0`)
      const targets = statuses.map((_, index) => ({
        url: `${site.url}${path}/${index}`,
        target_type: 'page',
      }))
      const { job_id, task_ids } = await api.batch(targets)
      await hold.arrived()
      const during = await Promise.all(task_ids.map(taskId => api.task(taskId)))
      during.forEach(checkResult)
      assert.deepEqual(
        during.map(({ status }) => status),
        statuses.map((_, index) => (index === 0 ? 'running' : 'queued')),
      )
      hold.release()
      await api.service.ended(job_id)
      const ended = await Promise.all(task_ids.map(taskId => api.task(taskId)))
      ended.forEach(checkResult)
      assert.deepEqual(
        ended.map(({ status }) => status),
        statuses.map(status => (status === 200 ? 'completed' : 'failed')),
      )
    }),
    { numRuns: 8 },
  )
})
