// Property 43: however a job ends, whoever is to be told is told of exactly that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

let site: TestSite
let receiver: WebhookReceiver
let service: TestService
before(async () => {
  site = await startTestSite()
  receiver = await WebhookReceiver.open()
  service = await TestService.open({
    settings: {
      allowPrivate: [`${site.host}:${site.port}`, receiver.place],
      webhookUrl: receiver.url,
      webhookSecret: ['secret'],
    },
  })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }
const endings = {
  completed: ['/about'],
  partially_completed: ['/about', '/no-such-page'],
  failed: ['/no-such-page'],
} as const

async function told(
  jobId: string,
): Promise<{ status: string; summary: { by_state: Record<string, number> } }> {
  for (let count = 1; ; count += 1) {
    const all = (await receiver.has(count)).map(({ body }) => JSON.parse(body))
    const found = all.find(body => body.job_id === jobId)
    if (found) return found
  }
}

for (const [status, paths] of Object.entries(endings))
  test(`property 43: a job that is ${status} is told of`, async () => {
    const jobId = await service.submit({ urls: paths.map(path => `${site.url}${path}`), ...fast })
    assert.equal((await told(jobId)).status, status)
    assert.equal((await service.ended(jobId)).status, status)
  })

test('property 43: a job that is run again and ends again is told of again, under another id', async () => {
  const jobId = await service.submit({ urls: [`${site.url}/no-such-page`], ...fast })
  await told(jobId)
  const before = receiver.received.length
  await service.ask(`/jobs/${jobId}/retry`, { method: 'POST' })
  await receiver.has(before + 1)

  const ids = receiver.received
    .filter(({ body }) => JSON.parse(body).job_id === jobId)
    .map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids).size, 2)
})

test('property 43: a job that is cancelled is told of, while it runs or waits', async () => {
  const urls = Array.from({ length: 50 }, (_, index) => `${site.url}/products/${index}`)
  const jobId = await service.submit({ urls, policy: { host: { rate: 0.1 } } })
  await service.ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  const { status, summary } = await told(jobId)

  assert.equal(status, 'cancelled')
  assert.ok(summary.by_state.cancelled! >= 45)
})
