// Tests the message bus of a cluster, on a real Redis.
import { after, before } from 'node:test'
import { openRedisBus } from '../../src/adapters/redis/bus.ts'
import { startRedis, type TestRedis } from '../support/services/redis.ts'
import { busContract } from './bus-contract.ts'

let redis: TestRedis
before(async () => {
  redis = await startRedis()
})
after(() => redis?.[Symbol.asyncDispose]())

busContract('Redis bus', async () => {
  const open = () => openRedisBus({ url: redis.url, prefix: 'test:' })
  return [await open(), await open()]
})
