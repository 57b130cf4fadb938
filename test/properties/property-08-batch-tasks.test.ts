// Property 8: a batch of N targets is a job of N tasks, even if targets are equal. More than 100 targets are refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi, uuid } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open({ settings: { queueDepth: 100_000 } })
})
after(() => api?.[Symbol.asyncDispose]())

const anyTarget = fc.record({
  url: fc.constantFrom('http://a.example/', 'http://b.example/x', 'http://a.example/?b=2&a=1'),
  target_type: fc.constantFrom('page', 'article', 'product'),
})

test('Property 8: a batch has as many tasks as targets, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTarget, { minLength: 1, maxLength: 100, size: 'max' }), async targets => {
      const { job_id, task_ids, total_tasks } = await api.batch(targets)
      assert.match(job_id, uuid)
      assert.equal(total_tasks, targets.length)
      assert.equal(new Set(task_ids).size, targets.length)
      assert.equal((await api.job(job_id)).total_tasks, targets.length)
      const last = await api.task(task_ids.at(-1)!)
      assert.deepEqual({ url: last.url, target_type: last.target_type }, { ...targets.at(-1) })
      // Cancels the tasks, because these sites do not exist and the test does not wait for them.
      await api.ask(`/jobs/${job_id}/cancel`, { method: 'POST' })
    }),
    { numRuns: 12 },
  )
})

test('Property 8: more than a hundred targets are refused with 400', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 101, max: 400 }), async count => {
      const targets = new Array(count).fill({ url: 'http://a.example/', target_type: 'page' })
      const { status, body } = await api.ask('/batch', { body: { targets } })
      assert.equal(status, 400)
      assert.equal(body.error?.details.field, 'targets')
    }),
    { numRuns: 5 },
  )
})
