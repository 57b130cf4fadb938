// Property 10: the results of a job are its completed tasks, and their number equals the counter of the job.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
  api.site.serve('/well', '<title>well</title>')
  api.site.serve('/slow', '<title>slow</title>')
})
after(() => api?.[Symbol.asyncDispose]())

const anyPaths = fc.array(fc.constantFrom('/well', '/not-there'), { minLength: 1, maxLength: 6 })

test('Property 10: results contain only completed tasks, both while the job runs and afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(anyPaths, async paths => {
      using hold = api.site.hold('/slow')
      const all = [...paths, '/slow']
      const { job_id } = await api.batch(
        all.map(path => ({ url: `${api.site.url}${path}`, target_type: 'page' })),
      )
      await hold.arrived()
      await check(job_id)
      hold.release()
      await api.service.ended(job_id)
      await check(job_id)
      assert.equal((await api.results(job_id)).length, all.filter(path => path !== '/not-there').length)
    }),
    { numRuns: 8 },
  )
})

async function check(jobId: string): Promise<void> {
  const results = await api.results(jobId)
  const { completed_tasks } = await api.job(jobId)
  assert.equal(results.length, completed_tasks)
  for (const { status, result, error } of results) {
    assert.equal(status, 'completed')
    assert.match(String(result?.title), /^(well|slow)$/)
    assert.equal(error, null)
  }
}

test('Property 10: paging returns the same results, each once', async () => {
  const targets = Array.from({ length: 7 }, () => ({ url: `${api.site.url}/well`, target_type: 'page' }))
  const { job_id, task_ids } = await api.batch(targets)
  await api.service.ended(job_id)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await api.ask<{ results: Array<{ task_id: string }>; next_cursor: string | null }>(
      `/jobs/${job_id}/results?limit=3${query}`,
    )
    seen.push(...body.data.results.map(result => result.task_id))
    if (body.data.next_cursor === null) break
    cursor = body.data.next_cursor
  }
  assert.deepEqual(seen, task_ids)
})
