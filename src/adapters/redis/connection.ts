// Connects to Redis and maps its errors.
import { once } from 'node:events'
import type { RedisClientType } from 'redis'
import { loadFor } from '../../lib/optional-packages.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { Failure } from '../../model/failures.ts'

const longestConnectMs = 5_000
/** Timeout of a command. An unresponsive Redis must not block a worker. Blocking reads last only one second. */
const longestCommandMs = 5_000
/** Longest wait for the response to the last command on close. An unavailable Redis sends no response. */
const longestCloseMs = 250

export interface ConnectOptions {
  /** If Redis is down now, do not fail: the client connects when Redis is available again. */
  mayBeAway?: boolean | undefined
}

/** Reconnects automatically. While Redis is down, every command fails at once, so that commands do not pile up in memory. */
export async function connectRedis(
  url: string,
  { mayBeAway = false }: ConnectOptions = {},
): Promise<RedisClientType> {
  const { createClient } = await loadFor('cluster', () => import('redis'))
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: longestCommandMs },
    socket: {
      connectTimeout: longestConnectMs,
      reconnectStrategy: retries => Math.min(100 * 2 ** retries, 2_000),
    },
  }) as unknown as RedisClientType
  // Each command reports connection errors. Without a listener, the error event would crash the process.
  client.on('error', () => {})
  if (mayBeAway) await firstTry(client)
  else await inOurWords(() => connectWithin(client, url))
  return client
}

/** Returns after the first success or failure to connect. Retries continue in the background. */
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

/** When this resolves, all resources are released. */
export async function closeRedis(client: RedisClientType): Promise<void> {
  await settledWithin(client.close(), longestCloseMs)
  client.destroy()
}

/** Runs a command and maps its errors. Redis failures are temporary: tasks are in the store, and the command is retried. */
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
      `Redis is unavailable (${message}); work waits in the store until Redis is back (REDIS_URL)`,
      {},
      { cause: error },
    )
  }
}

/** Adds a timeout, because the client itself times out only unsent commands. */
async function answerOf<Result>(work: () => Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(new Error(`no answer within ${longestCommandMs} ms`))
  // After the timer, checks once more for the answer: this process may have been suspended, so Redis is not to blame.
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
