// A shared cache on Redis. A slow response counts as a miss.
import type { SharedCache } from '../../ports/shared-cache.ts'
import { askRedis, closeRedis, connectRedis } from './connection.ts'

interface RedisCacheOptions {
  url: string
  prefix: string
  /** Milliseconds after which a response counts as a miss. */
  longestWaitMs?: number
}

/** A longer wait would cost more than the cache saves. */
const usualLongestWaitMs = 100

export async function openRedisCache(options: RedisCacheOptions): Promise<SharedCache> {
  const { longestWaitMs = usualLongestWaitMs } = options
  const client = await connectRedis(options.url)
  const keyOf = (key: string) => `${options.prefix}cache:${key}`
  return {
    get: key =>
      within(
        longestWaitMs,
        client.get(keyOf(key)).catch(() => null),
      ),
    async set(key, value, forMs) {
      const set = () => client.set(keyOf(key), value, { PX: Math.floor(forMs) })
      if (forMs >= 1) await askRedis(set).catch(() => {})
    },
    [Symbol.asyncDispose]: () => closeRedis(client),
  }
}

async function within(ms: number, answer: Promise<string | null>): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  // After the timer, checks once more for the answer: this process may have been suspended, so Redis is not to blame.
  const late = setTimeout(() => setImmediate(resolve, null), ms)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(late)
  }
}
