// Property 6: an accepted scrape has a UUID, is queued, and can be read.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi, uuid } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
})
after(() => api?.[Symbol.asyncDispose]())

const anyScrape = fc.record(
  {
    path: fc.webPath(),
    target_type: fc.constantFrom('page', 'article', 'product', 'company_website', 'job_posting'),
    timeout_s: fc.integer({ min: 1, max: 60 }),
    workspace_id: fc.constant('default'),
    callback_url: fc.webUrl(),
    options: fc.constantFrom({}, { headers: { 'x-a': 'b' } }, { render: false }, { input: { note: 1 } }),
  },
  { requiredKeys: ['path', 'target_type'] },
)

test('Property 6: an accepted request has a task id and the status queued', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(anyScrape, async ({ path, ...asked }) => {
      const { status, body, text } = await api.ask('', {
        body: { url: `${api.site.url}${path}`, ...asked },
      })
      assert.equal(status, 202, text)
      const { task_id, status: state } = body.data as { task_id: string; status: string }
      assert.match(task_id, uuid)
      assert.equal(state, 'queued')
      assert.ok(!seen.has(task_id))
      seen.add(task_id)
      const found = await api.task(task_id)
      assert.equal(found.task_id, task_id)
      assert.equal(found.target_type, asked.target_type)
    }),
    { numRuns: 30 },
  )
})
