// Locks on Redis: a key with the holder's name. The holder renews it while it works; otherwise it expires.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { RedisClientType } from 'redis'
import { asFailure } from '../../model/failures.ts'
import type { UnderLock } from '../../ports/locks.ts'
import { askRedis, closeRedis, connectRedis } from './connection.ts'

/** A holder that does not renew its lock for this time counts as dead. */
const usualExpireMs = 10_000
const usualWaitMs = 10_000
/** Renewals per expiry time, so that two of them may get lost. */
const renewals = 3
const lookAgainMs = 25

const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
const renewScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`

interface RedisLocksOptions {
  url: string
  /** Prefix of every key. */
  prefix: string
  /** How long a lock of a dead holder lasts, in milliseconds. */
  expireMs?: number
}

interface RedisLocks extends AsyncDisposable {
  underLock: UnderLock
}

export async function openRedisLocks(options: RedisLocksOptions): Promise<RedisLocks> {
  const client = await connectRedis(options.url)
  const { expireMs = usualExpireMs } = options
  return {
    async underLock(name, work, { waitMs = usualWaitMs } = {}) {
      const lock = { key: `${options.prefix}lock:${name}`, holder: randomUUID(), expireMs }
      await take(client, lock, waitMs)
      const renewing = setInterval(() => void extend(client, lock), expireMs / renewals)
      try {
        return await work()
      } finally {
        clearInterval(renewing)
        const own = { keys: [lock.key], arguments: [lock.holder] }
        await askRedis(() => client.eval(releaseScript, own)).catch(() => {})
      }
    },
    [Symbol.asyncDispose]: () => closeRedis(client),
  }
}

interface Lock {
  key: string
  holder: string
  expireMs: number
}

/** Takes the lock. If Redis is down, or after `waitMs`, returns without the lock, and the caller works without it. */
async function take(client: RedisClientType, { key, holder, expireMs }: Lock, waitMs: number): Promise<void> {
  const until = Date.now() + waitMs
  while (Date.now() < until) {
    const set = () => client.set(key, holder, { NX: true, PX: expireMs })
    const answer = await askRedis(set).catch(error => asFailure(error))
    if (answer !== null) return
    await wait(lookAgainMs)
  }
}

async function extend(client: RedisClientType, { key, holder, expireMs }: Lock): Promise<void> {
  const own = { keys: [key], arguments: [holder, String(expireMs)] }
  await askRedis(() => client.eval(renewScript, own)).catch(() => {})
}
