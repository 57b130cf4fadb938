// Consumers of a group: forgotten when nobody reads under their name any more, for Redis keeps each of them for ever.
import type { RedisClientType } from 'redis'
import { askRedis } from './connection.ts'

/** All receivers of a stream share it. */
export const group = 'workers'

/** In one step: a consumer that is deleted takes what it holds along, and nobody would ever receive that again. */
const forgetIdle = `
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1`

/** Leaves it where it holds anything. */
export async function forgetConsumer(client: RedisClientType, stream: string, name: string): Promise<void> {
  await askRedis(() => client.eval(forgetIdle, { keys: [stream], arguments: [group, name] }))
}

/** Those who have done nothing for so long, and hold nothing. */
export async function idleConsumers(
  client: RedisClientType,
  stream: string,
  idleMs: number,
): Promise<string[]> {
  const consumers = await askRedis(() => client.xInfoConsumers(stream, group))
  return consumers.flatMap(({ name, idle, pending }) =>
    Number(idle) >= idleMs && Number(pending) === 0 ? [String(name)] : [],
  )
}
