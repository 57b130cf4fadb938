// Property 10: the results of a job are its completed tasks, as many as its counter says.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeFace } from '../support/scrape-face.ts'

let face: ScrapeFace
before(async () => {
  face = await ScrapeFace.open()
  face.site.serve('/well', '<title>well</title>')
  face.site.serve('/slow', '<title>slow</title>')
})
after(() => face?.[Symbol.asyncDispose]())

const anyPaths = fc.array(fc.constantFrom('/well', '/not-there'), { minLength: 1, maxLength: 6 })

test('Property 10: only what is completed, while the job runs and after', async () => {
  await fc.assert(
    fc.asyncProperty(anyPaths, async paths => {
      using hold = face.site.hold('/slow')
      const all = [...paths, '/slow']
      const { job_id } = await face.batch(
        all.map(path => ({ url: `${face.site.url}${path}`, target_type: 'page' })),
      )
      await hold.arrived()
      await check(job_id)
      hold.release()
      await face.service.ended(job_id)
      await check(job_id)
      assert.equal((await face.results(job_id)).length, all.filter(path => path !== '/not-there').length)
    }),
    { numRuns: 8 },
  )
})

async function check(jobId: string): Promise<void> {
  const results = await face.results(jobId)
  const { completed_tasks } = await face.job(jobId)
  assert.equal(results.length, completed_tasks)
  for (const { status, result, error } of results) {
    assert.equal(status, 'completed')
    assert.match(String(result?.title), /^(well|slow)$/)
    assert.equal(error, null)
  }
}

test('Property 10: page by page gives the same, each once', async () => {
  const targets = Array.from({ length: 7 }, () => ({ url: `${face.site.url}/well`, target_type: 'page' }))
  const { job_id, task_ids } = await face.batch(targets)
  await face.service.ended(job_id)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await face.ask<{ results: Array<{ task_id: string }>; next_cursor: string | null }>(
      `/jobs/${job_id}/results?limit=3${query}`,
    )
    seen.push(...body.data.results.map(result => result.task_id))
    if (body.data.next_cursor === null) break
    cursor = body.data.next_cursor
  }
  assert.deepEqual(seen, task_ids)
})
