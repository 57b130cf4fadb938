// Seed 003 (an earlier specification of the worker system): tests its model of jobs and items on the running service.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

interface Item {
  status: string
  reason: string | null
  history: Array<{ outcome: string }>
  records: Array<{ scraper: string }>
}

describe('the worker system', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    const allowPrivate = [`${site.host}:${site.port}`]
    service = await TestService.open({ settings: { allowPrivate, rate: 'unlimited' } })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const itemOf = async (jobId: string, itemId: string) =>
    (await service.ask<Item>(`/jobs/${jobId}/items/${itemId}`)).body

  test('a job that names no scraper uses the scraper `page`', async () => {
    site.serve('/plain', '<title>Plain</title><h1>Plain</h1>')
    const items = [{ item_id: 'item-1', input: { url: `${site.url}/plain` } }]
    const jobId = await service.submit({ items })
    assert.equal((await service.ended(jobId)).status, 'completed')
    const { records } = await itemOf(jobId, 'item-1')
    assert.match(records[0]!.scraper, /^page@/)
  })

  test('timeouts and retries of the policy apply to each item', async () => {
    using hold = site.hold('/silent')
    const jobId = await service.submit({
      items: [{ item_id: 'item-1', input: { url: `${site.url}/silent` } }],
      policy: {
        timeouts: { connect_ms: 5_000, headers_ms: 300, total_ms: 5_000 },
        retries: { attempts: 1, strategy: 'linear', base_ms: 10, factor: 1 },
      },
    })
    await service.ended(jobId)
    const { status, reason, history } = await itemOf(jobId, 'item-1')
    assert.equal(status, 'failed')
    assert.match(reason ?? '', /timeout/)
    assert.equal(history.length, 2)
    hold.release()
  })
})
