// Tests shared caches on Redis for host names and robots.txt. Processes also work without these caches.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openRedisCache } from '../../src/adapters/redis/cache.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import type { RobotsEntry } from '../../src/model/host.ts'
import type { SharedCache } from '../../src/ports/shared-cache.ts'
import type { HostStore } from '../../src/ports/store.ts'
import { sharedResolver, withCachedRobots } from '../../src/roles/cluster/task-services/shared-caches.ts'
import { startRedis, type TestRedis } from '../support/services/redis.ts'

let redis: TestRedis
let cache: SharedCache
before(async () => {
  redis = await startRedis()
  cache = await openRedisCache({ url: redis.url, prefix: 'test:', longestWaitMs: 30_000 })
})
after(async () => {
  await cache[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})

const address = { address: '93.184.216.34', family: 4 }

/** Waits until the cache has the key, because the key is written in the background. */
async function kept(key: string): Promise<string> {
  for (;;) {
    const value = await cache.get(key)
    if (value !== null) return value
  }
}

test('a host name that one process resolved is not resolved again by another', async () => {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return [address]
  }
  assert.deepEqual(await sharedResolver(cache, resolve)('shop.example'), [address])
  await kept('dns:shop.example')
  assert.deepEqual(await sharedResolver(cache, resolve)('shop.example'), [address])
  assert.deepEqual(asked, ['shop.example'])
})

test('a forbidden address is refused even if it is cached', async () => {
  await cache.set('dns:rebound.example', JSON.stringify([{ address: '10.0.0.7', family: 4 }]), 60_000)
  const gate = new EgressGate({ allowPrivate: [], resolve: sharedResolver(cache) })
  await assert.rejects(gate.resolve('rebound.example', 80), /not public/)
})

test('a cached value of another program is ignored', async () => {
  await cache.set('dns:odd.example', 'not JSON', 60_000)
  assert.deepEqual(await sharedResolver(cache, async () => [address])('odd.example'), [address])
})

test('robots.txt is stored first, and read from the store if the cached copy expired or was evicted', async () => {
  const entry: RobotsEntry = {
    ...{ origin: 'https://shop.example', fetchedAt: 1, expiresAt: 60_000, verdict: 'parsed' as const },
    ...{ status: 200, body: 'User-agent: *', failures: 0 },
  }
  const asked: string[] = []
  const hosts = {
    keepRobots: async () => {},
    robots: async (origin: string) => {
      asked.push(origin)
      return null
    },
  } as unknown as HostStore
  let now = 0
  const own = withCachedRobots(hosts, cache, () => now)
  await own.keepRobots(entry)
  assert.deepEqual(await own.robots(entry.origin), entry)
  assert.deepEqual(asked, [])
  now = 60_000
  assert.equal(await own.robots(entry.origin), null)
  assert.deepEqual(asked, [entry.origin])
})

test('if Redis is down, a lookup is delayed only briefly', async () => {
  const short = await startRedis()
  await using away = await openRedisCache({ url: short.url, prefix: 'test:' })
  await short[Symbol.asyncDispose]()
  assert.deepEqual(await sharedResolver(away, async () => [address])('shop.example'), [address])
})
