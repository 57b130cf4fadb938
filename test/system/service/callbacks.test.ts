// Tests that callbacks of the scrape API equal its GET responses, field by field, however a job ends.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ScrapeApi, type ShownTask } from '../../support/scrape-api.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

let api: ScrapeApi
let receiver: WebhookReceiver
before(async () => {
  receiver = await WebhookReceiver.open()
  api = await ScrapeApi.open({ settings: { allowPrivate: [receiver.place], webhookSecret: ['secret'] } })
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

const target = (path: string) => ({ url: `${api.site.url}${path}`, target_type: 'page' })

async function batch(...paths: string[]): Promise<string> {
  const body = { targets: paths.map(target), callback_url: receiver.url }
  const { status, text, body: answer } = await api.ask<{ job_id: string }>('/batch', { body })
  assert.equal(status, 202, text)
  return answer.data.job_id
}

type Told = Record<string, unknown> & { results: ShownTask[] }

async function told(jobId: string): Promise<Told> {
  for (let count = 1; ; count += 1) {
    const bodies = (await receiver.has(count)).map(({ body }) => JSON.parse(body) as Told)
    const found = bodies.find(body => body.job_id === jobId)
    if (found) return found
  }
}

/** Compares the callback of a job with every GET response that shows the job. Returns the states of the tasks. */
async function compared(jobId: string): Promise<Array<[status: string, code: string | null]>> {
  const { results, ...head } = await told(jobId)
  assert.deepEqual(head, await api.job(jobId))
  for (const result of results) assert.deepEqual(result, await api.task(result.task_id))
  assert.deepEqual(
    results.filter(({ status }) => status === 'completed'),
    await api.results(jobId),
  )
  return results.map(({ status, error }) => [status, error?.code ?? null])
}

test('the callback of one page shows the job and the task as GET does', async () => {
  const { task_id, job_id } = await api.scrape({ ...target('/about'), callback_url: receiver.url })
  assert.deepEqual(await compared(job_id), [['completed', null]])
  const [only] = (await told(job_id)).results
  assert.equal(only?.task_id, task_id)
  assert.equal(typeof only?.result?.title, 'string')
})

test('the callback of a batch has completed, failed and skipped tasks, in the order of the targets', async () => {
  const jobId = await batch('/no-such-page', '/about', '/private/x', '/wall/captcha', '/about')
  assert.deepEqual(await compared(jobId), [
    ['failed', 'HttpNotFoundError'],
    ['completed', null],
    ['failed', 'RobotsDisallowedError'],
    ['failed', 'CaptchaError'],
    ['completed', null],
  ])
  assert.equal((await told(jobId)).status, 'partially_completed')
})

test('if robots.txt disallows the only page of a job, the job is failed, both in the callback and in GET', async () => {
  const jobId = await batch('/private/x')
  assert.deepEqual(await compared(jobId), [['failed', 'RobotsDisallowedError']])
  assert.equal((await told(jobId)).status, 'failed')
})

test('the callback of a cancelled batch has both tasks that ran and tasks that waited', async () => {
  api.site.serve('/held', '<title>Held</title><h1>Held</h1><p>This page is held for a while.</p>')
  const hold = api.site.hold('/held')
  const jobId = await batch('/held', ...Array.from({ length: 30 }, (_, index) => `/products/${index}`))
  await hold.arrived()
  const cancelled = await api.ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  hold.release()
  assert.equal(cancelled.status, 200)
  const states = await compared(jobId)
  assert.equal(states.length, 31)
  assert.equal(states[0]?.[0], 'completed')
  assert.equal((await told(jobId)).status, 'cancelled')
})
