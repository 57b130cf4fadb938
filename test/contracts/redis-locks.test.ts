// Tests locks between processes on Redis: one process holds a lock at a time, and a dead process blocks no other.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectRedis } from '../../src/adapters/redis/connection.ts'
import { openRedisLocks } from '../../src/adapters/redis/locks.ts'
import { eventually } from '../support/eventually.ts'
import { startRedis, type TestRedis } from '../support/services/redis.ts'

let redis: TestRedis
before(async () => {
  redis = await startRedis()
})
after(() => redis[Symbol.asyncDispose]())

test('work under one lock name runs one after another; work under another name runs at the same time', async () => {
  const options = { url: redis.url, prefix: 'test:' }
  await using one = await openRedisLocks(options)
  await using other = await openRedisLocks(options)
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise(resolve => setImmediate(resolve))
    inside--
  }
  await Promise.all([one, other, one, other].map(({ underLock }) => underLock('name', work)))
  assert.equal(most, 1)
  await one.underLock('a', () => other.underLock('b', work))
})

test('a lock is renewed while its work runs, so that no other caller gets it during long work', async () => {
  await using locks = await openRedisLocks({ url: redis.url, prefix: 'test:', expireMs: 3_000 })
  const client = await connectRedis(redis.url)
  try {
    const left = () => client.pTTL('test:lock:long')
    await locks.underLock('long', async () => {
      let before = await left()
      await eventually('the lock to be renewed', async () => {
        const now = await left()
        const isRenewed = now > before
        before = now
        return isRenewed
      })
    })
    assert.equal(await left(), -2, 'it is released when the work is done')
  } finally {
    client.destroy()
  }
})

test('a caller that has waited longer than its limit continues without the lock', async () => {
  await using locks = await openRedisLocks({ url: redis.url, prefix: 'test:' })
  const done = await locks.underLock('held', () => locks.underLock('held', async () => 7, { waitMs: 1 }))
  assert.equal(done, 7)
})

test('work that fails releases its lock and rethrows the error', async () => {
  await using locks = await openRedisLocks({ url: redis.url, prefix: 'test:' })
  await assert.rejects(
    locks.underLock('name', () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await locks.underLock('name', async () => 7), 7)
})

test('if Redis is down, the work runs without the lock', async () => {
  const short = await startRedis()
  await using locks = await openRedisLocks({ url: short.url, prefix: 'test:' })
  await short[Symbol.asyncDispose]()
  assert.equal(await locks.underLock('name', async () => 7), 7)
})
