// Locks on Redis: a key with the holder's name, which ends by itself.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { RedisClientType } from 'redis'
import { asFailure } from '../../model/failures.ts'
import type { UnderLock } from '../../ports/locks.ts'
import { askRedis, closeRedis, connectRedis } from './connection.ts'

/** A holder that has not let go by then is gone, or will be overwritten. */
const longestHoldMs = 10_000
const lookAgainMs = 25

const letGo = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

export interface RedisLocks extends AsyncDisposable {
  underLock: UnderLock
}

export async function openRedisLocks(options: { url: string; prefix: string }): Promise<RedisLocks> {
  const client = await connectRedis(options.url)
  return {
    async underLock(name, work) {
      const key = `${options.prefix}lock:${name}`
      const holder = randomUUID()
      await take(client, key, holder)
      try {
        return await work()
      } finally {
        const own = { keys: [key], arguments: [holder] }
        await askRedis(() => client.eval(letGo, own)).catch(() => {})
      }
    },
    [Symbol.asyncDispose]: () => closeRedis(client),
  }
}

/** Without one, too, when Redis is away. */
async function take(client: RedisClientType, key: string, holder: string): Promise<void> {
  const until = Date.now() + longestHoldMs
  while (Date.now() < until) {
    const set = () => client.set(key, holder, { NX: true, PX: longestHoldMs })
    const answer = await askRedis(set).catch(error => asFailure(error))
    if (answer !== null) return
    await wait(lookAgainMs)
  }
}
