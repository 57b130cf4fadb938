// Tests the webhooks API of a running service: the log of deliveries, dead letters, and webhooks that are sent again.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { TestService } from '../support/service.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

interface Webhook {
  webhook_id: string
  job_id: string
  state: string
  attempts: number
  log: Array<{ attempt: number; status: number | null; error: string | null }>
  body: { job_id: string; status: string; results: Array<{ status: string; data?: Record<string, unknown> }> }
}

describe('webhooks', () => {
  let site: TestSite
  let receiver: WebhookReceiver
  let service: TestService
  before(async () => {
    site = await startTestSite()
    receiver = await WebhookReceiver.open()
    service = await TestService.open({
      settings: {
        allowPrivate: [`${site.host}:${site.port}`, receiver.place],
        webhookSecret: ['fresh', 'old'],
      },
    })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const policy = { host: { rate: 'unlimited' }, retries: { attempts: 0 } }
  const submit = () => service.submit({ urls: [`${site.url}/about`], policy, webhook_url: receiver.url })
  const listed = async (query: string) =>
    (await service.ask<{ webhooks: Webhook[] }>(`/webhooks?${query}`)).body.webhooks

  test('an ended job sends a signed webhook with its results, and the delivery is in the log', async () => {
    const jobId = await submit()
    const [{ headers, body }] = (await receiver.has(1)) as [(typeof receiver.received)[0]]
    const signature = createHmac('sha256', 'fresh').update(body).digest('hex')
    assert.equal(headers['x-webhook-signature'], signature)
    assert.equal(String(headers['webhook-signature']).split(' ').length, 2)
    const told = JSON.parse(body) as Webhook['body']
    assert.deepEqual(Object.keys(told), ['job_id', 'status', 'summary', 'results'])
    assert.deepEqual([told.job_id, told.status, told.results.length], [jobId, 'completed', 1])
    assert.ok(told.results[0]?.data?.title)

    const id = String(headers['webhook-id'])
    await eventually(
      'the delivery is written down',
      async () => (await listed(`job_id=${jobId}`))[0]?.state === 'delivered',
    )
    const { body: shown } = await service.ask<Webhook>(`/webhooks/${id}`)
    assert.deepEqual(
      shown.log.map(({ attempt, status, error }) => [attempt, status, error]),
      [[1, 200, null]],
    )
    assert.deepEqual(shown.body, told)
  })

  test('a webhook that became a dead letter is listed, and sent again on request', async () => {
    receiver.mode = 410
    const jobId = await submit()
    await eventually('the webhook becomes a dead letter', async () =>
      (await listed('state=dead')).some(({ job_id }) => job_id === jobId),
    )
    const [{ webhook_id: id }] = (await listed(`state=dead&job_id=${jobId}`)) as [Webhook]
    receiver.mode = 200
    const replayed = await service.ask(`/webhooks/${id}/replay`, { method: 'POST' })
    assert.equal(replayed.status, 202)
    await eventually(
      'it is delivered',
      async () => (await listed(`job_id=${jobId}`))[0]?.state === 'delivered',
    )
    const { body: shown } = await service.ask<Webhook>(`/webhooks/${id}`)
    assert.deepEqual(
      shown.log.map(({ status }) => status),
      [410, 200],
    )
  })

  test('another workspace sees no webhook of this workspace, and unknown ids are not found', async () => {
    const [{ webhook_id: id }] = (await listed('limit=1')) as [Webhook]
    const key = await service.key({ workspace: 'other' })
    assert.equal((await service.ask(`/webhooks/${id}`, { key })).status, 404)
    assert.equal((await service.ask(`/webhooks/${id}/replay`, { method: 'POST', key })).status, 404)
    assert.deepEqual((await service.ask<{ webhooks: [] }>('/webhooks', { key })).body.webhooks, [])
    assert.equal((await service.ask('/webhooks/none')).status, 404)
    assert.equal((await service.ask('/webhooks?state=gone')).status, 422)
    assert.equal((await service.ask('/webhooks?cursor=bad')).status, 422)
  })

  test('neither the log nor a response contains a secret', async () => {
    const text = JSON.stringify(service.logged) + (await service.ask('/webhooks')).text
    assert.ok(service.logged.some(({ message }) => message === 'a webhook was delivered'))
    assert.equal(/"(fresh|old)"/.test(text), false)
  })

  test('webhooks that are pending when a service stops are delivered by the next service', async () => {
    const folder = service.folder
    receiver.mode = 500
    const jobId = await submit()
    await eventually(
      'a first attempt to deliver',
      async () => ((await listed(`job_id=${jobId}`))[0]?.attempts ?? 0) > 0,
    )
    const before = receiver.received.length
    await service.close()
    receiver.mode = 200
    service = await TestService.open({ settings: { allowPrivate: [receiver.place] } }, folder)
    await receiver.has(before + 1)
    await eventually(
      'it is delivered',
      async () => (await listed(`job_id=${jobId}`))[0]?.state === 'delivered',
    )
  })
})
