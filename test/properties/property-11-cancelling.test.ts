// Property 11: cancelling a job cancels waiting tasks, and lets running tasks finish.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi, type ShownJob } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
})
after(() => api?.[Symbol.asyncDispose]())

test('Property 11: waiting tasks are cancelled at once, and the running task keeps its result', async () => {
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.nat(3), async (count, done) => {
      const path = `/cancel-${round++}`
      const before = Math.min(done, count - 1)
      const { site } = api
      for (let index = 0; index < count; index += 1) site.serve(`${path}/${index}`, '<title>page</title>')
      using hold = site.hold(`${path}/${before}`)
      const targets = Array.from({ length: count }, (_, index) => ({
        url: `${site.url}${path}/${index}`,
        target_type: 'page',
      }))
      const { job_id, task_ids } = await api.batch(targets)
      await hold.arrived()

      const { status, body } = await api.ask<ShownJob>(`/jobs/${job_id}/cancel`, { method: 'POST' })
      assert.equal(status, 200)
      assert.equal(body.data.status, 'cancelled')
      const during = await Promise.all(task_ids.map(taskId => api.task(taskId)))
      assert.deepEqual(
        during.map(task => task.status),
        task_ids.map((_, n) => (n < before ? 'completed' : n === before ? 'running' : 'cancelled')),
      )

      hold.release()
      await api.service.ended(job_id)
      const job = await api.job(job_id)
      assert.equal(job.status, 'cancelled')
      assert.deepEqual([job.completed_tasks, job.cancelled_tasks], [before + 1, count - before - 1])
      const ran = await api.task(task_ids[before]!)
      assert.deepEqual([ran.status, ran.result?.title], ['completed', 'page'])
    }),
    { numRuns: 10 },
  )
})
