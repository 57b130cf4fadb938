// Tests Firecrawl webhooks while the outbox is down: missing webhooks are stored later, and records whose webhooks are stored are
// not read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import { Emitter } from '../../../lib/emitter.ts'
import type { NewWebhook } from '../../../model/webhook.ts'
import { notifyFirecrawlWebhooks } from './notify.ts'
import { requestLabels, type StoredRequest } from './stored-request.ts'

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const webhook = { url: 'https://hook.example/', headers: null, metadata: {}, events: ['page'] }
const labels = requestLabels({ kind: 'batch', webhook } as unknown as StoredRequest)
const job = { id: 'batch', face: 'firecrawl', state: 'running', finishedAt: null, spec: { labels } }

function open() {
  const entered: string[] = []
  const asked: number[] = []
  const outbox = { isAway: false, failed: [] as number[] }
  const store = {
    jobs: { list: async () => [job], get: async () => job },
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
  return { parts, clock, outbox, entered, asked, settled }
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
