// A cache that processes share, on Redis: what is not answered at once counts as not there.
import type { SharedCache } from '../../ports/shared-cache.ts'
import { askRedis, closeRedis, connectRedis } from './connection.ts'

/** Longer would cost more than what is saved. */
const longestWaitMs = 100

export async function openRedisCache(options: { url: string; prefix: string }): Promise<SharedCache> {
  const client = await connectRedis(options.url)
  const keyOf = (key: string) => `${options.prefix}cache:${key}`
  return {
    get: key => withinMs(client.get(keyOf(key)).catch(() => null)),
    async set(key, value, forMs) {
      const set = () => client.set(keyOf(key), value, { PX: Math.floor(forMs) })
      if (forMs >= 1) await askRedis(set).catch(() => {})
    },
    [Symbol.asyncDispose]: () => closeRedis(client),
  }
}

async function withinMs(answer: Promise<string | null>): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const late = setTimeout(() => resolve(null), longestWaitMs)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(late)
  }
}
