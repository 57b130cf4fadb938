// Property 41: the webhook of a job with up to 100 tasks has all results, and the webhook of a larger job has a summary.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { Callbacks } from '../support/callbacks.ts'
import { ScrapeApi, type ShownTask } from '../support/scrape-api.ts'

let api: ScrapeApi
let callbacks: Callbacks
before(async () => {
  callbacks = await Callbacks.open()
  api = await ScrapeApi.open({
    settings: { allowPrivate: [callbacks.place], webhookUrl: callbacks.url('/operator') },
  })
  for (let n = 0; n < wellPages; n += 1)
    api.site.serve(`/well/${n}`, `<title>Page ${n}</title><h1>Page ${n}</h1>`)
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await callbacks?.[Symbol.asyncDispose]()
})

const wellPages = 8
const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }

interface Item {
  task_id: string
  item_id: string
  url: string
  status: string
  data?: Record<string, unknown>
  error?: { code: string }
}
interface Told {
  job_id: string
  status: string
  summary: { tasks: number; by_state: Record<string, number>; results_left_out?: string }
  results: Item[] | null
}

const pathOf = (isWell: boolean, index: number) =>
  isWell ? `/well/${index % wellPages}` : `/missing/${index}`

/** The webhook of a job that was submitted to /jobs and whose items succeed or fail in this order. */
async function told(outcomes: readonly boolean[]): Promise<Told> {
  const items = outcomes.map((isWell, index) => ({
    item_id: `item-${index}`,
    input: { url: `${api.site.url}${pathOf(isWell, index)}` },
  }))
  const jobId = await api.service.submit({ scraper_id: 'page', items, ...fast })
  const [callback] = await callbacks.arrived(jobId)
  return callback!.body as unknown as Told
}

// Fails if results have the ids of other tasks or of another job, if failed items are left out, or if the limit is 99 instead of 100.
test('Property 41: the webhook of a job with up to 100 tasks has one result for each item, with its ids and outcome', async () => {
  const anyOutcomes = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(anyOutcomes, async outcomes => {
      const { job_id, summary, results } = await told(outcomes)
      assert.equal(summary.tasks, outcomes.length)
      const byItem = new Map(results!.map(item => [item.item_id, item]))
      assert.equal(results!.length, outcomes.length)
      outcomes.forEach((isWell, index) => {
        const item = byItem.get(`item-${index}`)
        assert.ok(item, `item-${index} is missing`)
        assert.equal(item.task_id, `${job_id}.${index + 1}`)
        assert.equal(new URL(item.url).pathname, pathOf(isWell, index))
        assert.equal(item.data?.title, isWell ? `Page ${index % wellPages}` : undefined)
        assert.equal(item.error?.code, isWell ? undefined : 'http.not-found')
      })
    }),
    { numRuns: 5, examples: [[Array.from({ length: 100 }, (_, index) => index % 9 > 0)]] },
  )
})

test('Property 41: above 100 tasks, the webhook has the summary and says where the results are', async () => {
  const outcomes = Array.from({ length: 101 }, (_, index) => index % 10 > 0)
  const { job_id, status, summary, results } = await told(outcomes)
  assert.deepEqual([status, results], ['partially_completed', null])
  assert.deepEqual([summary.by_state.succeeded, summary.by_state.failed], [90, 11])
  assert.ok(summary.results_left_out!.includes(`more than 100 tasks; GET /jobs/${job_id}/results`))
})

// Fails if the webhook of the scrape API has task ids that GET does not know, or has the results in another order.
test('Property 41: the webhook of a batch shows the tasks as GET does, in the order of the request', async () => {
  const anyOutcomes = fc.array(fc.boolean(), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(anyOutcomes, async outcomes => {
      const targets = outcomes.map((isWell, index) => ({
        url: `${api.site.url}${pathOf(isWell, index)}`,
        target_type: 'page',
      }))
      const { job_id, task_ids } = await api.batch(targets)
      const [callback] = await callbacks.arrived(job_id)
      const results = callback!.body.results as ShownTask[]
      assert.deepEqual(
        results.map(({ task_id }) => task_id),
        task_ids,
      )
      assert.deepEqual(results, await Promise.all(task_ids.map(id => api.task(id))))
      assert.deepEqual(
        results.map(({ url, result }) => [url, result !== null]),
        targets.map(({ url }, index) => [url, outcomes[index]]),
      )
    }),
    { numRuns: 5 },
  )
})
