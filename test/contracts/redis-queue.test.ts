// Tests the queue on Redis Streams against its contract, and cases that only Redis has.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createClient, type RedisClientType } from 'redis'
import { openRedisQueue } from '../../src/adapters/redis/queue.ts'
import { openStreamContents } from '../../src/adapters/redis/streams.ts'
import type { Queue } from '../../src/ports/queue.ts'
import { startRedis, type TestRedis } from '../support/services/redis.ts'
import { queueContract } from './queue-contract.ts'

const never = new AbortController().signal
const leaseMs = 60_000
let redis: TestRedis
let admin: RedisClientType
let streams = 0
const disposeLater: Queue<string>[] = []

before(async () => {
  redis = await startRedis()
  admin = createClient({ url: redis.url }) as unknown as RedisClientType
  admin.on('error', () => {})
  await admin.connect()
})
after(async () => {
  for (const queue of disposeLater) await queue[Symbol.asyncDispose]()
  admin.destroy()
  await redis[Symbol.asyncDispose]()
})

const openOn = (stream: string, consumer = 'one'): Promise<Queue<string>> =>
  openRedisQueue({ url: redis.url, stream, consumer, leaseMs })

const consumersOf = async (stream: string): Promise<string[]> =>
  (await admin.xInfoConsumers(stream, 'workers')).map(({ name }) => String(name)).sort()

const freshStream = (): string => `test.${++streams}`

/** Redis uses its own clock, so the test sets the idle time of the entries instead of waiting. */
const passOn = (stream: string) => async (ms: number) => {
  for (const { id, consumer, millisecondsSinceLastDelivery } of await admin.xPendingRange(
    stream,
    'workers',
    '-',
    '+',
    1_000,
  ))
    await admin.xClaimJustId(stream, 'workers', consumer, 0, id, { IDLE: millisecondsSinceLastDelivery + ms })
}

queueContract('Redis Streams', async () => {
  const stream = freshStream()
  return { queue: await openOn(stream), pass: passOn(stream) }
})

describe('the Redis queue', () => {
  test('released messages come before new messages, however few are received at once', async () => {
    const stream = freshStream()
    await using dead = await openOn(stream, 'dead')
    await using alive = await openOn(stream, 'alive')
    await dead.send(['old 1', 'old 2', 'old 3'])
    await dead.receive(3, 0, never)
    await passOn(stream)(leaseMs)
    await alive.send(['new'])
    const received: string[] = []
    while (received.length < 4)
      for (const { body } of await alive.receive(1, 60_000, never)) received.push(body)
    assert.deepEqual(received, ['old 1', 'old 2', 'old 3', 'new'])
  })

  test('a receiver that closes without messages leaves no consumer name in Redis', async () => {
    const stream = freshStream()
    {
      await using queue = await openOn(stream, 'done')
      await queue.send(['a message'])
      const [message] = await queue.receive(1, 0, never)
      await queue.ack([message!.id])
      assert.deepEqual(await consumersOf(stream), ['done'])
    }
    assert.deepEqual(await consumersOf(stream), [])
  })

  test('if a receiver closes while it holds a message, Redis keeps its consumer name, and another receiver gets the message', async () => {
    const stream = freshStream()
    await using other = await openOn(stream, 'other')
    await other.send(['a message'])
    {
      await using queue = await openOn(stream, 'busy')
      await queue.receive(1, 0, never)
    }
    assert.deepEqual(await consumersOf(stream), ['busy'])
    await passOn(stream)(leaseMs)
    const [message] = await other.receive(1, 0, never)
    assert.equal(message?.body, 'a message')
  })

  test('a consumer that holds nothing and sends no heartbeat is deleted', async () => {
    const stream = freshStream()
    await using contents = await openStreamContents({ url: redis.url, prefix: '' })
    await using queue = await openOn(stream, 'alive')
    await queue.send(['held', 'done', 'done'])
    for (const name of ['holding', 'signed-in', 'gone']) {
      const gone = await openOn(stream, name)
      const [message] = await gone.receive(1, 0, never)
      if (name !== 'holding') await gone.ack([message!.id])
      // The queue is not closed here, because a killed process does not remove its consumer.
      disposeLater.push(gone)
    }
    await contents.signIn('signed-in', { role: 'http-worker', concurrency: 1, held: 0 })
    await contents.forgetReceivers(stream, leaseMs)
    assert.deepEqual(
      await consumersOf(stream),
      ['gone', 'holding', 'signed-in'],
      'consumers that were active a moment ago stay',
    )
    await contents.forgetReceivers(stream, 0)
    assert.deepEqual(await consumersOf(stream), ['holding', 'signed-in'])
    await passOn(stream)(leaseMs)
    assert.equal((await queue.receive(1, 0, never))[0]?.body, 'held')
  })

  test('a released message is delivered, even if other receivers hold many messages before it', async () => {
    const stream = freshStream()
    await using dead = await openOn(stream, 'dead')
    await using alive = await openOn(stream, 'alive')
    await alive.send(Array.from({ length: 40 }, (_, at) => `held ${at}`))
    const held = await alive.receive(40, 0, never)
    await alive.send(['let go'])
    await dead.receive(1, 0, never)
    await passOn(stream)(leaseMs)
    await alive.extend(held.map(({ id }) => id))

    const [found] = await alive.receive(1, 0, never)

    assert.deepEqual([found?.body, found?.delivery], ['let go', 2])
  })

  test('an entry that another program wrote into the stream blocks no message', async () => {
    const stream = freshStream()
    await using queue = await openOn(stream)
    await admin.xAdd(stream, '*', { body: '{ cut off' })
    await admin.xAdd(stream, '*', { another: 'field' })
    await queue.send(['ours'])
    await using contents = await openStreamContents({ url: redis.url, prefix: '' })
    assert.deepEqual(
      (await contents.entries(stream)).map(({ body }) => body),
      ['ours'],
    )

    const [ours] = await queue.receive(3, 0, never)

    assert.equal(ours?.body, 'ours')
    assert.deepEqual(await queue.depth(), { waiting: 0, held: 1 })
  })

  test('a message that is deleted before its delivery does not count as lag, and later messages are received', async () => {
    const stream = 'dropped'
    await using queue = await openOn(stream)
    await using contents = await openStreamContents({ url: redis.url, prefix: '' })
    const lag = async () => Number((await admin.xInfoGroups(stream))[0]?.lag ?? Number.NaN)
    await contents.resetLag('of nobody')
    await queue.send(['one'])
    const [one] = await queue.receive(1, 0, never)
    await queue.send(['two', 'three'])
    const [, two, three] = await contents.entries(stream)
    await contents.drop(stream, [two!.id])
    await contents.resetLag(stream)
    assert.equal((await contents.entries(stream)).length, 2, 'waiting messages stay')
    await contents.drop(stream, [three!.id])
    await queue.ack([one!.id])
    assert.notEqual(await lag(), 0)
    await contents.resetLag(stream)
    assert.equal(await lag(), 0)
    await queue.send(['four'])
    assert.equal(await lag(), 1)
    assert.deepEqual(
      (await queue.receive(9, 0, never)).map(({ body }) => body),
      ['four'],
    )
    assert.equal(await lag(), 0)
  })

  test('the age of the queue is the age of its oldest message that no receiver has', async () => {
    const stream = freshStream()
    await using queue = await openOn(stream)
    await using contents = await openStreamContents({ url: redis.url, prefix: '' })
    const ago = (ms: number) => `${Date.now() - ms}-0`
    const isAbout = (waitedMs: number, ms: number) => waitedMs >= ms && waitedMs < ms + 60_000
    assert.equal(await contents.waitingMs(stream), 0)
    await admin.xAdd(stream, ago(7_200_000), { body: '"older"' })
    await admin.xAdd(stream, ago(3_600_000), { body: '"old"' })

    assert.ok(isAbout(await contents.waitingMs(stream), 7_200_000))
    await queue.receive(1, 0, never)
    assert.ok(isAbout(await contents.waitingMs(stream), 3_600_000))
    await queue.receive(1, 0, never)
    assert.equal(await contents.waitingMs(stream), 0)
  })

  test('if Redis loses the consumer group, messages that may be in flight are delivered again and marked; later messages have no mark', async () => {
    const stream = freshStream()
    await using first = await openOn(stream, 'first')
    await using second = await openOn(stream, 'second')
    await first.send(['in hand', 'waiting'])
    const [held] = await first.receive(1, 0, never)
    await admin.xGroupDestroy(stream, 'workers')

    const again = await second.receive(9, 0, never)
    await first.ack([held!.id])
    await second.ack(again.map(({ id }) => id))
    await first.send(['later'])
    const later = await second.receive(9, 0, never)

    assert.deepEqual(
      [...again, ...later].map(({ body, isAgain = false }) => [body, isAgain]),
      [
        ['in hand', true],
        ['waiting', true],
        ['later', false],
      ],
    )
    assert.deepEqual(await first.depth(), { waiting: 0, held: 1 })
  })

  test('of two workers on one stream, one takes over the messages that the other releases', async () => {
    const stream = freshStream()
    await using first = await openOn(stream, 'first')
    await using second = await openOn(stream, 'second')
    await first.send(['a', 'b'])
    assert.equal((await first.receive(1, 0, never))[0]?.body, 'a')
    assert.equal((await second.receive(9, 0, never))[0]?.body, 'b')

    await passOn(stream)(leaseMs)
    const again = await second.receive(9, 0, never)

    assert.deepEqual(
      again.map(({ body, delivery }) => [body, delivery]),
      [
        ['a', 2],
        ['b', 2],
      ],
    )
  })

  test('a heartbeat does not count as a delivery', async () => {
    const stream = freshStream()
    await using queue = await openOn(stream)
    await queue.send(['a'])
    const [held] = await queue.receive(1, 0, never)
    for (let i = 0; i < 5; i += 1) await queue.extend([held!.id])

    await passOn(stream)(leaseMs)

    assert.equal((await queue.receive(1, 0, never))[0]?.delivery, 2)
  })

  test('acknowledged messages are deleted from the stream', async () => {
    const stream = freshStream()
    await using queue = await openOn(stream)
    await queue.send(['a', 'b'])
    await queue.ack((await queue.receive(2, 0, never)).map(({ id }) => id))

    assert.equal(await admin.xLen(stream), 0)
  })

  for (const [name, harm] of [
    ['FLUSHALL', () => admin.flushAll()],
    ['a deleted stream', (stream: string) => admin.del(stream)],
    ['a destroyed group', (stream: string) => admin.xGroupDestroy(stream, 'workers')],
  ] as const)
    test(`after ${name} the queue recovers by itself`, async () => {
      const stream = freshStream()
      await using queue = await openOn(stream)
      await queue.send(['before'])
      const waiting = queue.receive(1, 0, never)
      await waiting
      const blocked = queue.receive(1, 5_000, never)
      await harm(stream)

      await queue.send(['after'])

      const bodies = (await blocked).map(({ body }) => body)
      assert.ok(bodies.includes('after') || bodies.includes('before'))
      assert.equal((await queue.depth()).held > 0, true)
    })

  test('the error names an unreachable Redis, and the queue works again once Redis is back', async () => {
    await using own = await startRedis()
    await using queue = await openRedisQueue<string>({ url: own.url, stream: 's', consumer: 'c', leaseMs })
    await own.kill()

    await assert.rejects(queue.send(['a']), { code: 'queue.unavailable', message: /Redis is unavailable/ })

    await own.start()
    for (let sent = false; !sent; )
      sent = await queue.send(['b']).then(
        () => true,
        () => new Promise<boolean>(resolve => setTimeout(() => resolve(false), 50)),
      )
    assert.equal((await queue.receive(1, 5_000, never))[0]?.body, 'b')
  })

  test('if a message is claimed for a receiver that stopped waiting, the next receiver gets it', async () => {
    const stream = freshStream()
    await using dead = await openOn(stream, 'dead')
    await using alive = await openOn(stream, 'alive')
    await dead.send(['let go'])
    await dead.receive(1, 0, never)
    await passOn(stream)(leaseMs)
    await admin.sendCommand(['CLIENT', 'PAUSE', '60000', 'WRITE'])
    await assert
      .rejects(alive.receive(1, 0, never), { code: 'queue.unavailable' })
      .finally(() => admin.sendCommand(['CLIENT', 'UNPAUSE']))

    const [received] = await alive.receive(1, 2_000, never)

    assert.deepEqual([received?.body, received?.delivery], ['let go', 2])
  })

  test('opening a queue at an address without Redis fails', async () => {
    const gone = openRedisQueue({ url: 'redis://:secret@127.0.0.1:1', stream: 's', consumer: 'c', leaseMs })

    await assert.rejects(gone, (error: Error) => !error.message.includes('secret'))
  })
})
