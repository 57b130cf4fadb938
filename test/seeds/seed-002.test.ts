// Seed 002 (an earlier specification): tests the scraping microservice with the seed's own requests.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { found } from '../support/eventually.ts'
import { type Envelope, ScrapeApi, type ShownTask, uuid } from '../support/scrape-api.ts'

describe('the scrape API', () => {
  let api: ScrapeApi
  before(async () => {
    api = await ScrapeApi.open()
    api.site.serve('/empty', '<!doctype html><title></title>')
    api.site.serve('/job', '<title>Baker</title><h1 class="job-title">Baker</h1>')
  })
  after(() => api?.[Symbol.asyncDispose]())

  for (const target_type of ['company_website', 'job_posting'])
    test(`an empty page completes as ${target_type}, with null in each field`, async () => {
      const body = { url: `${api.site.url}/empty`, target_type }
      const { status, body: answer } = await api.ask<ShownTask>('/sync', { body })
      assert.deepEqual([status, answer.data.status], [200, 'completed'])
      assert.ok(Object.values(answer.data.result!).every(value => value === null))
      assert.ok(answer.data.notices.some(({ code }) => code === 'kind.unclear'))
    })

  test('a page that is clearly of another kind than the target type fails', async () => {
    api.site.serve(
      '/product',
      '<script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"@type":"Offer","price":"5"}}</script>',
    )
    const body = { url: `${api.site.url}/product`, target_type: 'job_posting' }
    const { status, body: answer } = await api.ask('/sync', { body })
    assert.notEqual(status, 200)
    assert.match(answer.error?.message ?? '', /expected a job posting/)
  })

  test('the request id is a UUID of the service, and the response also has the caller’s own id', async () => {
    const { headers, body } = await api.service.ask<Envelope & { client_request_id?: string }>(
      '/api/v1/scrape/no-such-task',
      { headers: { 'x-request-id': 'order-7' } },
    )
    assert.match(body.request_id, uuid)
    assert.equal(headers.get('x-request-id'), body.request_id)
    assert.deepEqual([body.client_request_id, headers.get('x-client-request-id')], ['order-7', 'order-7'])
    const line = api.service.logged.find(entry => entry.client_request_id === 'order-7')
    assert.equal(line?.request_id, body.request_id)
  })

  test('probes and metrics ignore query parameters', async () => {
    for (const path of ['/healthz', '/health', '/readiness', '/metrics'])
      assert.notEqual((await api.service.ask(`${path}?probe=1&_=2`)).status, 422, path)
  })

  test('a job is cancelled by a POST with a JSON content type and no body', async () => {
    const { job_id } = await api.batch([{ url: `${api.site.url}/slow/headers`, target_type: 'page' }])
    const response = await fetch(`${api.service.url}/api/v1/scrape/jobs/${job_id}/cancel`, {
      method: 'POST',
      headers: { 'x-service-key': 'the-key-of-these-tests', 'content-type': 'application/json' },
    })
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as Envelope<{ status: string }>).data.status, 'cancelled')
  })

  test('/health shows the browser pool before the first page is rendered', async () => {
    await using fresh = await ScrapeApi.open({ settings: { browserPoolSize: 3 } })
    const { body } = await fresh.service.ask<{ browser_pool: Record<string, number> }>('/health', {
      key: null,
    })
    const { total, available, in_use, recycled_count } = body.browser_pool
    assert.deepEqual([total, available, in_use, recycled_count], [3, 3, 0, 0])
  })
})

test('if the service stops before the page of a sync call is requested, the call still finishes in the grace period', async () => {
  await using api = await ScrapeApi.open({ settings: { graceMs: 30_000, rate: '2/s' } })
  api.site.serve('/job', '<title>Baker</title><h1 class="job-title">Baker</h1>')
  const body = { url: `${api.site.url}/job`, target_type: 'job_posting' }
  // The first call takes the slot of the host, so the second call still waits when the service stops.
  const calls = [api.ask<ShownTask>('/sync', { body }), api.ask<ShownTask>('/sync', { body })]
  await found('both tasks accepted', async () => {
    const { body: listed } = await api.service.ask<{ jobs: Array<{ status: string }> }>('/jobs?face=scrape')
    const running = listed.jobs.filter(({ status }) => status !== 'pending')
    return running.length >= 3 ? true : undefined
  })
  const closing = api.service.close()
  const answers = await Promise.all(calls)
  await closing
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
})
