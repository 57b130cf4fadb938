// A connection to Redis, and what its errors mean in our words.
import { once } from 'node:events'
import type { RedisClientType } from 'redis'
import { settledWithin } from '../../lib/settled-within.ts'
import { Failure } from '../../model/failures.ts'

const longestConnectMs = 5_000
/** A black hole must not hold a worker: what is not answered by then counts as lost. Blocked reads last one second. */
const longestCommandMs = 5_000
/** What was asked last may still be answered when a connection is closed; of a Redis that is away nobody waits for it. */
const longestCloseMs = 250

export interface ConnectOptions {
  /** Do not fail if Redis is down now: the client connects when Redis is back. */
  mayBeAway?: boolean | undefined
}

/** Comes back by itself after a cut; until then every command fails at once, and nothing piles up in memory. */
export async function connectRedis(
  url: string,
  { mayBeAway = false }: ConnectOptions = {},
): Promise<RedisClientType> {
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
  if (mayBeAway) await firstTry(client)
  else await inOurWords(() => connectWithin(client, url))
  return client
}

/** Returns once the client is connected or has failed for the first time; it goes on trying. */
async function firstTry(client: RedisClientType): Promise<void> {
  const connected = client.connect().catch(() => {})
  const failed = once(client, 'error').catch(() => {})
  await settledWithin(Promise.race([connected, failed]), longestConnectMs)
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

/** When it resolves nothing is left of it. */
export async function closeRedis(client: RedisClientType): Promise<void> {
  await settledWithin(client.close(), longestCloseMs)
  client.destroy()
}

/** What goes wrong in Redis passes: the store has the work, and the queue is asked again. */
export const askRedis = <Result>(work: () => Promise<Result>): Promise<Result> =>
  inOurWords(() => answerOf(work))

async function inOurWords<Result>(work: () => Promise<Result>): Promise<Result> {
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

/** The client itself gives up only on what it has not sent yet. */
async function answerOf<Result>(work: () => Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(new Error(`no answer within ${longestCommandMs} ms`))
  // After a look at what has come: this process may have stood still, not Redis.
  const timer = setTimeout(() => setImmediate(giveUp), longestCommandMs)
  try {
    return await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function withoutSecrets(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.protocol}//${url.host}` : 'REDIS_URL'
}
