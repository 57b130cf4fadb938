// Tests the caches that the processes of a cluster share.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RobotsEntry } from '../../../model/host.ts'
import type { HostStore } from '../../../ports/store.ts'
import { sharedResolver, withCachedRobots } from './shared-caches.ts'

function cacheOf(values: Record<string, string> = {}) {
  const kept = new Map(Object.entries(values))
  const times = new Map<string, number>()
  return {
    kept,
    times,
    get: async (key: string) => kept.get(key) ?? null,
    set: async (key: string, value: string, forMs: number) => {
      kept.set(key, value)
      times.set(key, forMs)
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
const address = { address: '192.0.2.1', family: 4 } as const

test('one process resolves a host name, and the others use the cached address', async () => {
  const cache = cacheOf()
  let asked = 0
  const resolve = sharedResolver(cache, async () => {
    asked++
    return [address]
  })
  assert.deepEqual(await resolve('a.example'), [address])
  assert.deepEqual(await resolve('a.example'), [address])
  assert.equal(asked, 1)
})

test('invalid addresses in the shared cache are ignored', async () => {
  for (const text of ['not json', '[]', '{}', 'null']) {
    const resolve = sharedResolver(cacheOf({ 'dns:a.example': text }), async () => [address])
    assert.deepEqual(await resolve('a.example'), [address], text)
  }
})

const entry = (change: Partial<RobotsEntry> = {}): RobotsEntry =>
  ({ origin: 'https://a.example', body: 'User-agent: *', expiresAt: 1_000, ...change }) as RobotsEntry

function storeOf(stored: RobotsEntry) {
  const kept: RobotsEntry[] = []
  let asked = 0
  const hosts = {
    robots: async () => {
      asked++
      return stored
    },
    keepRobots: async (given: RobotsEntry) => void kept.push(given),
  } as unknown as HostStore
  return { hosts, kept, asked: () => asked }
}

test('robots.txt is read from the cache while it is valid, and then from the store', async () => {
  const { hosts, asked } = storeOf(entry({ body: 'stored' }))
  const cache = cacheOf({ 'robots:https://a.example': JSON.stringify(entry({ body: 'cached' })) })
  let now = 999
  const cached = withCachedRobots(hosts, cache, () => now)
  assert.equal((await cached.robots('https://a.example'))?.body, 'cached')
  assert.equal(asked(), 0)
  now = 1_000
  assert.equal((await cached.robots('https://a.example'))?.body, 'stored')
})

test('every robots.txt is stored, and a small one is also cached until it expires', async () => {
  const { hosts, kept } = storeOf(entry())
  const cache = cacheOf()
  const cached = withCachedRobots(hosts, cache, () => 400)
  await cached.keepRobots(entry())
  assert.equal(cache.times.get('robots:https://a.example'), 600)
  await cached.keepRobots(entry({ origin: 'https://large.example', body: 'x'.repeat(65_537) }))
  assert.equal(cache.kept.has('robots:https://large.example'), false)
  assert.equal(kept.length, 2)
})
