// Seed 004 (an earlier specification of the stealth fetch service): tests the parts that need no browser.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { TestService } from '../support/service.ts'

describe('the fetch API', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    // Without a browser no link is ever fetched, so the response cannot have waited for a link.
    service = await TestService.open({
      settings: { allowPrivate: [`${site.host}:${site.port}`], browserPath: '/nonexistent' },
    })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const start = () =>
    service.ask<{ job_id: string; status_url: string }>('/fetch/start', {
      body: {
        links: [`${site.url}/`],
        options: { proxies: [], wait_min: 1, wait_max: 2, concurrency_limit: 2 },
      },
    })

  test('/fetch/start answers with the id and the URL to poll, before any page is fetched', async () => {
    const { status, body } = await start()
    assert.equal(status, 202)
    assert.equal(site.requestsTo('/').length, 0)
    const path = new URL(body.status_url).pathname
    assert.equal(path, `/fetch/status/${body.job_id}`)
    // The tasks of the job are created after the response is sent.
    await eventually('the task is listed', async () => {
      const { body: job } = await service.ask<{ job_id: string; results: object[] }>(path)
      assert.equal(job.job_id, body.job_id)
      return job.results.length === 1
    })
  })

  test('GET /jobs lists fetch jobs with their status', async () => {
    const { body } = await start()
    const { status } = await service.ended(body.job_id)
    const { body: list } = await service.ask<{ jobs: Array<{ job_id: string; status: string }> }>('/jobs')
    const [job] = list.jobs.filter(({ job_id }) => job_id === body.job_id)
    assert.equal(job?.status, status)
  })
})
