// Deletes idle consumers of a stream's group, because Redis stores them forever.
import type { RedisClientType } from 'redis'
import { askRedis } from './connection.ts'

/** The consumer group that all receivers of a stream share. */
export const group = 'workers'

/** Deletes a consumer only if it has no pending messages, in one atomic script. Deleting a consumer would lose its pending
 *  messages. */
const forgetIdle = `
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1`

/** Deletes the consumer, unless it has pending messages. */
export async function forgetConsumer(client: RedisClientType, stream: string, name: string): Promise<void> {
  await askRedis(() => client.eval(forgetIdle, { keys: [stream], arguments: [group, name] }))
}

/** Resets the counters of a group if all messages were delivered. Atomic, because a message that arrives in between would be
 *  skipped. */
const resetCounters = `
local function field(list, name)
  for i = 1, #list, 2 do if list[i] == name then return list[i + 1] end end
end
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local stream = redis.call('XINFO', 'STREAM', KEYS[1])
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local last = field(group, 'last-delivered-id')
  if field(group, 'name') == ARGV[1] and #redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', 1) == 0 then
    redis.call('XGROUP', 'SETID', KEYS[1], ARGV[1], field(stream, 'last-generated-id'), 'ENTRIESREAD', field(stream, 'entries-added'))
  end
end
return 1`

/** Redis computes the lag from two counters, in which messages that were deleted before delivery count forever. An autoscaler
 *  that follows the lag would never stop the last worker. */
export async function resetLag(client: RedisClientType, stream: string): Promise<void> {
  await askRedis(() => client.eval(resetCounters, { keys: [stream], arguments: [group] }))
}

/** Consumers that were idle for this time and have no pending messages. */
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
