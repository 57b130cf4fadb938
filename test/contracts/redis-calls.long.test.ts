// Tests calls between processes on Redis: which calls are repeated, and when.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, type RedisClientType } from 'redis'
import { openRedisCalls } from '../../src/adapters/redis/calls.ts'
import { Failure } from '../../src/model/failures.ts'
import type { Calls } from '../../src/ports/calls.ts'
import { eventually, patienceMs } from '../support/eventually.ts'
import { FaultProxy } from '../support/services/fault-proxy.ts'
import { startRedis, type TestRedis } from '../support/services/redis.ts'

const never = new AbortController().signal
const againMs = 1_000
const patient = { withinMs: patienceMs, late: 'no answer came' }
const impatient = { ...patient, againMs }
let redis: TestRedis
let door: FaultProxy
let admin: RedisClientType
let prefixes = 0

before(async () => {
  redis = await startRedis()
  door = await FaultProxy.open(redis.port)
  admin = createClient({ url: redis.url }) as unknown as RedisClientType
  admin.on('error', () => {})
  await admin.connect()
})
after(async () => {
  admin.destroy()
  await door[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})

/** Two servers and a caller. */
async function cast(opened: AsyncDisposableStack, longestAnswerMs?: number) {
  const prefix = `calls${++prefixes}:`
  const open = async (): Promise<Calls> =>
    opened.use(
      await openRedisCalls({
        ...{ url: redis.url, prefix, heartbeatEveryMs: againMs / 4 },
        ...(longestAnswerMs !== undefined && { longestAnswerMs }),
      }),
    )
  return { key: `${prefix}calls:robots`, asker: await open(), one: await open(), other: await open() }
}

test('a call gets a result or a failure from one of the servers', async () => {
  await using opened = new AsyncDisposableStack()
  const { asker, one } = await cast(opened)
  const answer = async (question: string) => {
    if (question === 'bad') throw new Failure('job.unknown', 'there is no such job')
    return `${question}!`
  }
  void one.serve('robots', answer as never, never)
  assert.equal(await asker.ask('robots', 'good', patient), 'good!')
  await assert.rejects(asker.ask('robots', 'bad', patient), { code: 'job.unknown' })
})

test('if a server dies, its calls are soon sent to another server', async () => {
  await using opened = new AsyncDisposableStack()
  const { asker, one, key } = await cast(opened)
  const asked = asker.ask('robots', 'a question', impatient)
  await eventually('the call to be taken from the list', async () => (await admin.lPop(key)) !== null)
  void one.serve('robots', async () => 'from another one', never)
  assert.equal(await asked, 'from another one')
})

/** Blocks the event loop, like a process that gets no CPU time. */
const standStill = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a slow server keeps its call even if it misses a heartbeat, and no other server gets the call', async () => {
  await using opened = new AsyncDisposableStack()
  const { asker, one, other } = await cast(opened)
  let times = 0
  const slowly = async () => {
    times += 1
    await wait(5 * againMs)
    standStill(2 * againMs)
    await wait(againMs)
    return 'at last'
  }
  for (const calls of [one, other]) void calls.serve('robots', slowly, never)
  assert.equal(await asker.ask('robots', 'a question', impatient), 'at last')
  assert.equal(times, 1)
})

const forGood = () => new Promise<never>(() => {})

test('if a server stops while one of its calls hangs, another server gets the call', async () => {
  await using opened = new AsyncDisposableStack()
  const { asker, one, other } = await cast(opened)
  const stop = new AbortController()
  const taken = Promise.withResolvers<void>()
  const hang = () => {
    taken.resolve()
    return forGood()
  }
  const serving = one.serve('robots', hang, stop.signal)
  const asked = asker.ask('robots', 'a question', impatient)
  await taken.promise
  stop.abort()
  await serving
  void other.serve('robots', async () => 'from another one', never)
  assert.equal(await asked, 'from another one')
})

test('a call that hangs for longer than the longest allowed time is delivered again, even to the same server', async () => {
  await using opened = new AsyncDisposableStack()
  const { asker, one } = await cast(opened, 2 * againMs)
  let times = 0
  const hangOnce = () => {
    times += 1
    return times === 1 ? forGood() : Promise.resolve('at last')
  }
  void one.serve('robots', hangOnce, never)
  const asked = asker.ask('robots', 'a question', impatient)
  assert.equal(await asked, 'at last')
  assert.equal(times, 2)
})

test('a call without an answer ends at its deadline, and a server that starts later does not get the call', async () => {
  await using opened = new AsyncDisposableStack()
  const { asker, one, key } = await cast(opened)
  const asked = asker.ask('robots', 'too late', {
    withinMs: againMs,
    late: 'no worker answered',
    againMs: 100,
  })
  await assert.rejects(asked, { code: 'queue.unavailable', message: 'no worker answered' })
  await eventually('the question to be withdrawn', async () => (await admin.lLen(key)) === 0)
  const seen: string[] = []
  const answer = async (question: string) => void seen.push(question)
  void one.serve('robots', answer as never, never)
  await asker.ask('robots', 'in time', patient)
  assert.deepEqual(seen, ['in time'])
})

test('if a caller stops waiting for a call, the call is removed from the queue', async () => {
  await using opened = new AsyncDisposableStack()
  const { asker, key } = await cast(opened)
  const stop = new AbortController()
  const asked = asker.ask('robots', 'a question', { ...patient, signal: stop.signal })
  await eventually('it to be asked', async () => (await admin.lLen(key)) === 1)
  stop.abort(new Failure('worker.stopping', 'this process stops'))
  await assert.rejects(asked, { code: 'worker.stopping' })
  await eventually('the question to be withdrawn', async () => (await admin.lLen(key)) === 0)
})

test('closing the client does not wait if Redis does not answer', async () => {
  const calls = await openRedisCalls({ url: `redis://127.0.0.1:${door.port}`, prefix: 'away:' })
  const stop = new AbortController()
  const serving = calls.serve('robots', async () => 'never', stop.signal)
  const asked = calls
    .ask('desk', 'anyone?', { ...patient, signal: stop.signal })
    .catch((error: Error) => error)
  await eventually('it to be asked', async () => (await admin.lLen('away:calls:desk')) === 1)
  door.swallow()
  await assert.rejects(calls.tell('desk', 'hello'), { code: 'queue.unavailable' })
  stop.abort()
  await asked
  await calls[Symbol.asyncDispose]()
  await serving
  door.passOn()
})
