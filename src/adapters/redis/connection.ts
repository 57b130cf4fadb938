// A connection to Redis, and what its errors mean in our words.
import type { RedisClientType } from 'redis'
import { Failure } from '../../model/failures.ts'

const longestConnectMs = 5_000
/** A black hole must not hold a worker: what is not answered by then counts as lost. Blocked reads last one second. */
const longestCommandMs = 5_000

/** Comes back by itself after a cut; until then every command fails at once, and nothing piles up in memory. */
export async function connectRedis(url: string): Promise<RedisClientType> {
  const { createClient } = await import('redis')
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: longestCommandMs },
    socket: {
      connectTimeout: longestConnectMs,
      reconnectStrategy: retries => Math.min(100 * 2 ** retries, 2_000),
    },
  }) as unknown as RedisClientType
  // Each command says what is wrong with the connection; without a listener the process would end.
  client.on('error', () => {})
  await askRedis(() => connectWithin(client, url))
  return client
}

async function connectWithin(client: RedisClientType, url: string): Promise<void> {
  const timedOut = AbortSignal.timeout(longestConnectMs)
  const over = new Promise<never>((_, reject) =>
    timedOut.addEventListener('abort', () => reject(new Error(`no answer from ${withoutSecrets(url)}`))),
  )
  try {
    await Promise.race([client.connect(), over])
  } catch (error) {
    client.destroy()
    throw error
  }
}

/** What goes wrong in Redis passes: the store has the work, and the queue is asked again. */
export async function askRedis<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new Failure(
      'queue.unavailable',
      `Redis does not serve (${message}); work waits in the store until it does (REDIS_URL)`,
      {},
      { cause: error },
    )
  }
}

function withoutSecrets(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.protocol}//${url.host}` : 'REDIS_URL'
}
