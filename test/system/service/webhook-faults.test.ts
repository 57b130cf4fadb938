// F35: tests webhooks whose receiver is down, broken, slow or redirects, and webhooks that are sent twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { EgressGate, type HttpFetch, openHttpFetch } from '../../../src/fetch/http/index.ts'
import { FakeClock } from '../../../src/lib/clocks.ts'
import type { NewWebhook } from '../../../src/model/webhook.ts'
import {
  type DeliveryParts,
  deliverDue,
  deliverForJob,
} from '../../../src/pipeline/coordinate/outputs/deliver-webhooks.ts'
import type { Store } from '../../../src/ports/store.ts'
import { newJob } from '../../contracts/store/fixtures.ts'
import { openTemporaryStore } from '../../support/temporary-store.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'
import { ssrfVectors } from '../../vectors/ssrf.ts'

const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const never = new AbortController().signal

let receiver: WebhookReceiver
let http: HttpFetch
before(async () => {
  receiver = await WebhookReceiver.open()
  http = openHttpFetch({
    gate: new EgressGate({ allowPrivate: [receiver.place] }),
    userAgent: 'kscrape-test',
  })
})
after(async () => {
  await http[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

interface Place extends AsyncDisposable {
  store: Store
  clock: FakeClock
  parts: DeliveryParts
}

/** A store in which a job has just ended, with a webhook that has to be sent. */
async function place(change: Partial<NewWebhook> = {}): Promise<Place> {
  receiver.received.length = 0
  receiver.mode = 200
  const clock = new FakeClock()
  const opened = await openTemporaryStore(clock)
  const { store } = opened
  const webhook = {
    id: 'wh',
    event: 'job.ended',
    url: receiver.url,
    createdAt: clock.now(),
    body: '{"n":1}',
  } as const
  await store.jobs.create(newJob(), [])
  await store.jobs.move('job', ['pending'], 'failed', { webhooks: [{ ...webhook, ...change }] })
  const parts = { outbox: store.outbox, clock, fetch: http.fetch, secrets: ['secret'] }
  return { store, clock, parts, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

/** After each of these waits, sends the webhooks that are due. Returns how many were sent each time. */
async function dueAfter({ clock, parts }: Place, ...waitsMs: number[]): Promise<number[]> {
  const sent: number[] = []
  for (const ms of waitsMs) {
    clock.advance(ms)
    sent.push(await deliverDue(parts, never))
  }
  return sent
}

const stateOf = async ({ store }: Place): Promise<string> => (await store.outbox.get('wh'))!.state

test('F35: a receiver that is down for ten minutes gets the webhook within the hour, at the documented retry times', async () => {
  await using at = await place()
  await receiver.down()
  assert.deepEqual(await dueAfter(at, 0, 1_999, 1, 3_999, 1, 7_999, 1), [1, 0, 1, 0, 1, 0, 1])
  assert.deepEqual(await dueAfter(at, 5 * minuteMs - 1, 1), [0, 1])
  at.clock.advance(5 * minuteMs)
  await receiver.up()
  assert.deepEqual(await dueAfter(at, 55 * minuteMs - 1, 1), [0, 1])

  assert.equal(await stateOf(at), 'delivered')
  const log = await at.store.outbox.attempts('wh')
  assert.equal(log.length, 6)
  assert.ok(log.slice(0, 5).every(({ error }) => error?.startsWith('connect.refused: ')))
  assert.deepEqual([log[5]?.status, log[5]?.error], [200, null])
})

const allWaits = [0, 2, 4, 8]
  .map(seconds => seconds * secondMs)
  .concat(5 * minuteMs, hourMs, 6 * hourMs, 24 * hourMs)

test('F35: a webhook that is refused eight times in little more than a day becomes a dead letter, and can be sent again', async () => {
  await using at = await place()
  receiver.mode = 500
  assert.deepEqual(await dueAfter(at, ...allWaits), [1, 1, 1, 1, 1, 1, 1, 1])
  assert.equal(await stateOf(at), 'dead')
  assert.deepEqual(await dueAfter(at, 1_000 * hourMs), [0])
  assert.deepEqual(
    (await at.store.outbox.list({ states: ['dead'] })).map(({ id }) => id),
    ['wh'],
  )

  receiver.mode = 204
  await at.store.outbox.replay('wh', at.clock.now())
  assert.deepEqual(await dueAfter(at, 0), [1])
  assert.equal(await stateOf(at), 'delivered')
  const log = await at.store.outbox.attempts('wh')
  assert.deepEqual(
    log.map(({ attempt }) => attempt),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
  assert.equal(log[0]?.error, 'answered 500')
})

test('every attempt to send a webhook has the same body and id, and is signed with its own time', async () => {
  await using at = await place()
  receiver.mode = 503
  await dueAfter(at, ...allWaits)
  const { received } = receiver

  assert.deepEqual(
    new Set(received.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)),
    new Set(['wh {"n":1}']),
  )
  const times = received.map(({ headers }) => Number(headers['webhook-timestamp']))
  assert.equal(new Set(times).size, 8)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-signature'])).size, 8)
  assert.equal(new Set(received.map(({ headers }) => headers['x-webhook-signature'])).size, 1)
  assert.equal(received[0]?.headers['content-type'], 'application/json')
})

test('F35: if a receiver never answers, the attempt ends at the timeout, and another attempt follows', async () => {
  await using at = await place()
  receiver.mode = 'silent'
  await dueAfter({ ...at, parts: { ...at.parts, timeoutMs: 300 } }, 0)
  receiver.mode = 200
  await dueAfter(at, 2 * secondMs)

  const [first, second] = await at.store.outbox.attempts('wh')
  assert.match(first?.error ?? '', /^fetch\.timeout: /)
  assert.equal(second?.status, 200)
})

test('F35: a webhook does not follow a redirect of its receiver', async () => {
  await using at = await place()
  receiver.mode = 'redirect'
  await dueAfter(at, 0)

  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/hook'],
  )
  assert.match((await at.store.outbox.attempts('wh'))[0]?.error ?? '', /redirect, and webhooks follow none/)
  assert.equal(await stateOf(at), 'pending')
})

test('F35: if a sender dies, the webhook is sent again with the same id, once, even if two senders run at the same time', async () => {
  await using at = await place()
  const dies = {
    ...at.parts,
    outbox: { ...at.store.outbox, settle: () => Promise.reject(new Error('killed')) },
  }
  await assert.rejects(deliverDue(dies, never), { message: 'killed' })
  assert.deepEqual(await dueAfter(at, 0), [0])
  at.clock.advance(minuteMs)
  const sent = await Promise.all([deliverDue(at.parts, never), deliverDue(at.parts, never)])

  assert.deepEqual(sent.sort(), [0, 1])
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    ['wh', 'wh'],
  )
  assert.equal(await stateOf(at), 'delivered')
})

test('a slow delivery keeps its lease; if the first sender dies, another sender soon gets the webhook', async () => {
  await using at = await place()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const slow: DeliveryParts = {
    ...at.parts,
    fetch: async (...asked) => answered.then(() => http.fetch(...asked)),
  }
  const sending = deliverDue(slow, never)
  const stepsMs = Array.from({ length: 20 }, () => secondMs)
  assert.deepEqual(
    await dueAfter(at, ...stepsMs),
    stepsMs.map(() => 0),
  )
  answer()
  assert.equal(await sending, 1)
  assert.equal(receiver.received.length, 1)

  await at.store.outbox.replay('wh', at.clock.now())
  const gone = { ...at.store.outbox, hold: () => Promise.reject(new Error('gone')) }
  void deliverDue({ ...slow, outbox: gone, fetch: () => new Promise(() => {}) }, never)
  assert.deepEqual(await dueAfter(at, 0, 5_999, 1), [0, 0, 1])
  assert.equal(await stateOf(at), 'delivered')
})

test('a webhook that a receiver answers with 410 is not sent again', async () => {
  await using at = await place()
  receiver.mode = 410
  await dueAfter(at, 0)
  assert.equal(await stateOf(at), 'dead')
})

test('a webhook to a private address is not sent, whatever its URL looks like, and not retried', async () => {
  const surfaces = ssrfVectors('surface').filter(({ surface }) => surface === 'webhook_url')
  assert.ok(surfaces.length > 0)
  const urls = [
    ...surfaces.map(({ input }) => input),
    'http://127.0.0.1:1/hook',
    'http://169.254.169.254/latest',
  ]
  for (const url of urls) {
    await using at = await place({ url })
    await dueAfter(at, 0)
    assert.equal(await stateOf(at), 'dead', url)
    assert.match((await at.store.outbox.attempts('wh'))[0]?.error ?? '', /^address\.refused: /, url)
  }
  assert.equal(receiver.received.length, 0)
})

test('a process that runs one job makes the first attempts to send its webhook, and leaves later attempts to a service', async () => {
  await using at = await place()
  receiver.mode = 500
  let underWay = 0
  const fetch: DeliveryParts['fetch'] = (...asked) => {
    underWay += 1
    return http.fetch(...asked).finally(() => (underWay -= 1))
  }
  const leaving = deliverForJob({ ...at.parts, fetch }, 'job', 20 * secondMs, never)
  let hasLeft = false
  void leaving.then(() => (hasLeft = true))
  while (!hasLeft) {
    // The fake clock stands still while a webhook is in flight, so a busy machine makes no difference.
    if (underWay === 0) at.clock.advance(500)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  assert.equal((await at.store.outbox.attempts('wh')).length, 4)
  assert.equal(await stateOf(at), 'pending')
})
