// Property 43: a job that ends sends one webhook with its status, in every API and for every terminal state.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Callbacks } from '../support/callbacks.ts'
import { ScrapeApi } from '../support/scrape-api.ts'

let api: ScrapeApi
let callbacks: Callbacks
before(async () => {
  callbacks = await Callbacks.open()
  api = await ScrapeApi.open({
    settings: {
      allowPrivate: [callbacks.place],
      webhookUrl: callbacks.url('/operator'),
      webhookSecret: ['secret'],
    },
  })
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await callbacks?.[Symbol.asyncDispose]()
})

const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }
const endings = {
  completed: ['/about'],
  partially_completed: ['/about', '/no-such-page'],
  failed: ['/no-such-page'],
} as const

type Submit = (paths: readonly string[]) => Promise<string>
const apis: Record<string, Submit> = {
  '/jobs': paths => api.service.submit({ urls: paths.map(path => `${api.site.url}${path}`), ...fast }),
  '/api/v1/scrape/batch': async paths => (await api.batch(paths.map(target))).job_id,
}
const target = (path: string) => ({ url: `${api.site.url}${path}`, target_type: 'page' })

// Fails if `endingWebhooks` returns nothing for jobs of the scrape API, or for the states `failed` or `partially_completed`.
for (const [name, submit] of Object.entries(apis))
  for (const [status, paths] of Object.entries(endings))
    test(`Property 43: a job of ${name} that is ${status} sends a webhook`, async () => {
      const jobId = await submit(paths)
      const [callback] = await callbacks.arrived(jobId)
      assert.equal(callback!.body.status, status)
    })

test('Property 43: a single scrape sends a webhook, both with and without a callback_url of its own', async () => {
  for (const callback_url of [undefined, callbacks.url('/own')]) {
    const body = { ...target('/about'), ...(callback_url && { callback_url }) }
    const { job_id } = await api.scrape(body)
    const [callback] = await callbacks.arrived(job_id)
    assert.equal(callback!.body.status, 'completed')
  }
})

test('Property 43: a job that is retried and ends again sends a second webhook with a new id', async () => {
  const jobId = await apis['/jobs']!(endings.failed)
  await callbacks.arrived(jobId)
  await api.service.ask(`/jobs/${jobId}/retry`, { method: 'POST' })
  const all = await callbacks.arrived(jobId, 2)
  assert.equal(new Set(all.map(({ id }) => id)).size, 2)
})

test('Property 43: a batch that is cancelled while a task runs sends a webhook with the same content as GET', async () => {
  using hold = api.site.hold('/held')
  const { job_id } = await api.batch([target('/held'), target('/about'), target('/about')])
  await hold.arrived()
  await api.ask(`/jobs/${job_id}/cancel`, { method: 'POST' })
  hold.release()
  const [callback] = await callbacks.arrived(job_id)
  const { results: _results, ...told } = callback!.body
  assert.equal(told.status, 'cancelled')
  assert.deepEqual(told, await api.job(job_id))
})

// Fails if `cancelJob` ends the job without its webhook. This test runs last, because its low rate delays later requests to the
// host.
test('Property 43: a cancelled job of /jobs sends a webhook', async () => {
  const urls = Array.from({ length: 50 }, (_, index) => `${api.site.url}/products/${index}`)
  const jobId = await api.service.submit({ urls, policy: { host: { rate: 0.1 } } })
  await api.service.ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  const [callback] = await callbacks.arrived(jobId)
  const { status, summary } = callback!.body as {
    status: string
    summary: { by_state: { cancelled: number } }
  }
  assert.equal(status, 'cancelled')
  assert.ok(summary.by_state.cancelled >= 45)
})
