// Tests Firecrawl webhooks: missing webhooks are stored later, and neither records whose webhooks are stored nor the specs of
// jobs are read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import { Emitter } from '../../../lib/emitter.ts'
import type { NewWebhook } from '../../../model/webhook.ts'
import { notifyFirecrawlWebhooks, theirHeaders } from './notify.ts'
import { requestLabels, type StoredRequest } from './stored-request.ts'

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const webhook = { url: 'https://hook.example/', headers: null, metadata: {}, events: ['page', 'completed'] }
const labels = requestLabels({ kind: 'batch', webhook } as unknown as StoredRequest)
const job = {
  id: 'batch',
  face: 'firecrawl',
  state: 'running',
  reason: null,
  finishedAt: null,
  spec: { labels },
}

function open() {
  const entered: string[] = []
  const asked: number[] = []
  const jobs = { reads: 0, state: 'running' }
  const outbox = { isAway: false, failed: [] as number[] }
  const store = {
    jobs: {
      list: async () => [job],
      get: async () => {
        jobs.reads += 1
        return { ...job, state: jobs.state }
      },
      brief: async () => ({ id: job.id, state: jobs.state, reason: null }),
    },
    records: { list: async () => [] },
    tasks: {
      failed: async (_jobId: string, { after }: { after: number }) => {
        asked.push(after)
        const later = outbox.failed.filter(seq => seq > after)
        return later.map(seq => ({ n: seq, seq, url: 'https://shop.example/', message: 'gone' }))
      },
    },
    outbox: {
      enter: async (_jobId: string, webhooks: NewWebhook[]) => {
        if (outbox.isAway) throw new Error('the store is away')
        entered.push(...webhooks.map(({ id }) => id))
      },
    },
  }
  const events = new Emitter()
  const settled = () => events.emit('task.settled', { jobId: job.id } as never)
  const clock = new FakeClock()
  const parts = { store, clock, engine: events, log: { warn: () => {} }, settings: { webhookRetention: 0 } }
  const ended = () => {
    jobs.state = 'completed'
    events.emit('job.moved', { jobId: job.id, to: 'completed', reason: null })
  }
  return { parts, clock, jobs, outbox, entered, asked, settled, ended }
}

test('after webhooks could not be stored, the next try begins after the last stored webhook', async () => {
  const { parts, clock, outbox, entered, asked, settled } = open()
  const stop = new AbortController()
  outbox.failed.push(1)
  const telling = notifyFirecrawlWebhooks(parts as never, stop.signal)
  await turn()
  assert.deepEqual(entered, ['batch.page.1'])

  outbox.isAway = true
  outbox.failed.push(2)
  settled()
  await turn()
  outbox.isAway = false
  clock.advance(1_000)
  await turn()
  assert.deepEqual(entered, ['batch.page.1', 'batch.page.2'])
  assert.deepEqual(asked, [0, 1, 1])

  stop.abort()
  await telling
})

test('a job with a webhook is read once while it runs, however many of its tasks are settled', async () => {
  const { parts, jobs, outbox, entered, settled, ended } = open()
  const stop = new AbortController()
  const telling = notifyFirecrawlWebhooks(parts as never, stop.signal)
  for (const seq of [1, 2, 3]) {
    outbox.failed.push(seq)
    settled()
    await turn()
  }
  ended()
  await turn()
  assert.deepEqual(entered, ['batch.page.1', 'batch.page.2', 'batch.page.3', 'batch.completed'])
  assert.equal(jobs.reads, 1)

  stop.abort()
  await telling
})

test('the headers of the webhooks of a job are read once', async () => {
  const { parts, jobs } = open()
  const headersFor = theirHeaders(parts as never)
  const sent = Array.from({ length: 3 }, () => headersFor({ event: 'firecrawl', jobId: job.id }))
  assert.deepEqual(await Promise.all(sent), [{}, {}, {}])
  assert.deepEqual(await headersFor({ event: 'firecrawl', jobId: job.id }), {})
  assert.deepEqual(await headersFor({ event: 'job.completed' as never, jobId: 'other' }), {})
  assert.equal(jobs.reads, 1)
})
