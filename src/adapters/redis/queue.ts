// A queue on a Redis stream with one consumer group. A lease expires when its message was idle for the lease time. Acknowledged
// messages are deleted.
import type { RedisClientType } from 'redis'
import { settledWithin } from '../../lib/settled-within.ts'
import { Failure } from '../../model/failures.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'
import { askRedis, closeRedis, connectRedis } from './connection.ts'
import { forgetConsumer, group } from './consumers.ts'
import { againField, bodyField, bodyOf } from './message-body.ts'

interface RedisQueueOptions {
  url: string
  /** Name of the stream. Each kind of message has its own stream. */
  stream: string
  /** Name of the consumer; unique among live consumers. */
  consumer: string
  leaseMs: number
}

/** Redis scans ten pending messages per requested one. The scan is repeated up to this often, because expired leases may be
 *  behind many others. */
const mostLooks = 16
const firstEntry = '0-0'
/** Longest blocking read. Between two reads, expired leases are checked. */
const longestBlockMs = 1_000
/** How long to wait until Redis has deleted the consumer, also on a busy machine. If the deletion fails, the leader deletes the
 *  consumer later. */
const longestForgetMs = 1_000

export async function openRedisQueue<Message>(options: RedisQueueOptions): Promise<Queue<Message>> {
  const commands = await connectRedis(options.url)
  const reads = await connectRedis(options.url)
  const queue = new RedisQueue<Message>(commands, reads, options)
  await queue.makeGroup()
  return queue
}

/** Creates the lost group again, atomically and once. Every message in the stream is then delivered again and marked. */
const remake = `
local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
if made.err then return 0 end
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
  redis.call('XADD', KEYS[1], '*', '${againField}', '1', unpack(entry[2]))
  redis.call('XDEL', KEYS[1], entry[1])
end
return 1`

interface Entry {
  id: string
  message: Record<string, string>
}

class RedisQueue<Message> implements Queue<Message> {
  readonly #commands: RedisClientType
  /** A separate connection for reads, because it blocks most of the time. */
  readonly #reads: RedisClientType
  readonly #options: RedisQueueOptions
  /** Messages that arrived after their reader had stopped waiting. */
  #strays: Delivery<Message>[] = []
  /** Reads whose caller has stopped waiting. Redis still completes them, and their messages are leased to this consumer. */
  readonly #givenUp = new Set<Promise<void>>()
  #hasReceived = false
  #lookedForExpired = 0
  /** Entry id at which the next scan for expired leases starts. */
  #lookFrom: string = firstEntry
  #closed = new AbortController()

  constructor(commands: RedisClientType, reads: RedisClientType, options: RedisQueueOptions) {
    this.#commands = commands
    this.#reads = reads
    this.#options = options
  }

  /** Creates the group at the start of the stream, so that messages sent before are delivered too. */
  async makeGroup(): Promise<void> {
    const { stream } = this.#options
    await this.#ask(client => client.xGroupCreate(stream, group, '0', { MKSTREAM: true })).catch(error => {
      if (!isReply(error, 'BUSYGROUP')) throw error
    })
  }

  /** The group was lost with its list of pending messages, so it is created again. */
  async #remakeGroup(): Promise<void> {
    await this.#ask(client => client.eval(remake, { keys: [this.#options.stream], arguments: [group] }))
  }

  async send(messages: Message[]): Promise<void> {
    const { stream } = this.#options
    // One round trip, because node-redis pipelines commands of the same tick.
    await this.#ask(client =>
      Promise.all(messages.map(body => client.xAdd(stream, '*', { [bodyField]: JSON.stringify(body) }))),
    )
  }

  async receive(max: number, waitMs: number, signal: AbortSignal): Promise<Delivery<Message>[]> {
    this.#hasReceived = true
    try {
      return await this.#receive(max, waitMs, signal)
    } catch (error) {
      if (this.#closed.signal.aborted) return []
      throw error
    }
  }

  async #receive(max: number, waitMs: number, signal: AbortSignal): Promise<Delivery<Message>[]> {
    const until = Date.now() + waitMs
    const over = AbortSignal.any([signal, this.#closed.signal])
    while (!over.aborted) {
      const taken = await this.#takeNow(max, waitMs > 0)
      if (taken.length > 0) return taken
      const leftMs = until - Date.now()
      if (leftMs <= 0) return this.#read(this.#commands, max, null)
      const awaited = await this.#await(max, Math.min(leftMs, this.#blockMs), over)
      if (awaited.length > 0) return awaited
    }
    return []
  }

  async late(): Promise<Delivery<Message>[]> {
    await this.#givenUpReads()
    return this.#strays.splice(0)
  }

  /** Extends leases. `JUSTID` leaves the delivery count unchanged, because a heartbeat is not a delivery. */
  async extend(ids: string[]): Promise<void> {
    const known = ids.filter(isEntryId)
    const { stream, consumer } = this.#options
    if (known.length > 0) await this.#withGroup(c => c.xClaimJustId(stream, group, consumer, 0, known))
  }

  /** Acknowledges first and deletes second. In the other order, a crash in between would leave a deleted message that is
   *  claimed again. */
  async ack(ids: string[]): Promise<void> {
    const known = ids.filter(isEntryId)
    const { stream } = this.#options
    if (known.length === 0) return
    await this.#ask(client => Promise.all([client.xAck(stream, group, known), client.xDel(stream, known)]))
  }

  async depth(): Promise<{ waiting: number; held: number }> {
    const { stream, leaseMs } = this.#options
    const [length, { pending }, expired] = await this.#withGroup(client =>
      Promise.all([
        client.xLen(stream),
        client.xPending(stream, group),
        client.xPendingRange(stream, group, '-', '+', 100_000, { IDLE: leaseMs }),
      ]),
    )
    const held = pending - expired.length
    return { waiting: Math.max(0, length - held), held }
  }

  /** Every process uses a new consumer name. On a stop it deletes the name, unless there are pending messages. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    this.#reads.destroy()
    const { stream, consumer } = this.#options
    const forgotten = this.#hasReceived ? forgetConsumer(this.#commands, stream, consumer) : Promise.resolve()
    await settledWithin(forgotten, longestForgetMs)
    await closeRedis(this.#commands)
  }

  get #blockMs(): number {
    return Math.min(longestBlockMs, Math.ceil(this.#options.leaseMs / 4))
  }

  /** Messages with expired leases come first, because they waited longest. A waiting reader checks for them only at intervals. */
  async #takeNow(max: number, isWaiting: boolean): Promise<Delivery<Message>[]> {
    await this.#givenUpReads()
    const strays = this.#strays.splice(0, max)
    const lookedLately = Date.now() - this.#lookedForExpired < this.#blockMs
    if (strays.length > 0 || (isWaiting && lookedLately)) return strays
    this.#lookedForExpired = Date.now()
    return this.#claimExpired(max)
  }

  async #claimExpired(max: number): Promise<Delivery<Message>[]> {
    for (let looks = 0; looks < mostLooks; looks++) {
      const found = await this.#take(
        this.#commands,
        client => this.#claim(client, max),
        entries => this.#expired(entries),
      )
      if (found.length > 0) return found
      if (this.#lookFrom === firstEntry) break
    }
    return []
  }

  async #claim(client: RedisClientType, max: number): Promise<Entry[]> {
    const { stream, consumer, leaseMs } = this.#options
    const claimed = client.xAutoClaim(stream, group, consumer, leaseMs, this.#lookFrom, { COUNT: max })
    const { messages, nextId } = await claimed
    this.#lookFrom = String(nextId)
    return messages.filter(entry => entry !== null) as Entry[]
  }

  async #expired(entries: Entry[]): Promise<Delivery<Message>[]> {
    if (entries.length === 0) return []
    // A dead worker usually leaves several messages, so the next read scans again at once.
    this.#lookedForExpired = 0
    const counts = await this.#deliveryCounts(entries)
    return this.#deliveries(entries, ({ id }) => counts.get(id) ?? 2)
  }

  async #deliveryCounts(entries: Entry[]): Promise<Map<string, number>> {
    const { stream } = this.#options
    const pending = await this.#ask(client =>
      Promise.all(entries.map(({ id }) => client.xPendingRange(stream, group, id, id, 1))),
    )
    return new Map(pending.flat().map(({ id, deliveriesCounter }) => [id, deliveriesCounter]))
  }

  /** Waits for messages. If the caller stops waiting, the read continues, and its messages go to the next caller. */
  async #await(max: number, blockMs: number, over: AbortSignal): Promise<Delivery<Message>[]> {
    const reading = this.#read(this.#reads, max, blockMs)
    const gaveUp = Promise.withResolvers<null>()
    const giveUp = () => gaveUp.resolve(null)
    over.addEventListener('abort', giveUp, { once: true })
    // Remove the listener. Otherwise a long-lived signal would keep the messages of every read in memory.
    const taken = await Promise.race([reading, gaveUp.promise]).finally(() =>
      over.removeEventListener('abort', giveUp),
    )
    if (taken) return taken
    this.#keepLate(reading)
    return []
  }

  #read(client: RedisClientType, max: number, blockMs: number | null): Promise<Delivery<Message>[]> {
    const { stream, consumer } = this.#options
    const block = blockMs === null ? {} : { BLOCK: Math.max(1, Math.ceil(blockMs)) }
    const read = async (client: RedisClientType): Promise<Entry[]> => {
      const from = { key: stream, id: '>' }
      const answer = await client.xReadGroup(group, consumer, from, { COUNT: max, ...block })
      return (answer as Array<{ messages: Entry[] }> | null)?.[0]?.messages ?? []
    }
    return this.#take(client, read, entries => this.#deliveries(entries, () => 1))
  }

  /** Reads entries. If the read ends after its timeout, its messages are stored for the next caller, because Redis has leased
   *  them to this consumer. */
  async #take(
    client: RedisClientType,
    read: (client: RedisClientType) => Promise<Entry[]>,
    deliver: (entries: Entry[]) => Promise<Delivery<Message>[]>,
  ): Promise<Delivery<Message>[]> {
    let reading: Promise<Entry[]> = Promise.resolve([])
    const begin = (client: RedisClientType) => {
      reading = read(client)
      return reading
    }
    try {
      return await deliver(await this.#withGroup(begin, client))
    } catch (error) {
      this.#keepLate(reading.then(deliver))
      throw error
    }
  }

  #keepLate(reading: Promise<Delivery<Message>[]>): void {
    const kept: Promise<void> = reading
      .then(late => void this.#strays.push(...late))
      .catch(() => {})
      .finally(() => this.#givenUp.delete(kept))
    this.#givenUp.add(kept)
  }

  /** Waits until abandoned reads have ended. They block the connection, so a new read would also be abandoned. */
  async #givenUpReads(): Promise<void> {
    if (this.#givenUp.size > 0) await askRedis(() => Promise.all(this.#givenUp))
  }

  /** Converts entries to deliveries. Entries of other programs are acknowledged, because they would block the queue. */
  async #deliveries(entries: Entry[], countOf: (entry: Entry) => number): Promise<Delivery<Message>[]> {
    const read = entries.map(entry => ({ entry, body: bodyOf(entry.message) }))
    await this.ack(read.flatMap(({ entry, body }) => (body === undefined ? [entry.id] : [])))
    return read.flatMap(({ entry, body }) => {
      const isAgain = againField in entry.message && { isAgain: true as const }
      return body === undefined
        ? []
        : [{ id: entry.id, body: body as Message, delivery: countOf(entry), ...isAgain }]
    })
  }

  /** Repeats a command after creating the group again. `FLUSHALL`, a new Redis or a deleted stream removes the group. */
  async #withGroup<Result>(
    work: (client: RedisClientType) => Promise<Result>,
    client = this.#commands,
  ): Promise<Result> {
    try {
      return await this.#ask(work, client)
    } catch (error) {
      if (!isReply(error, 'NOGROUP') && !isReply(error, 'UNBLOCKED')) throw error
      await this.#remakeGroup()
      return await this.#ask(work, client)
    }
  }

  async #ask<Result>(
    work: (client: RedisClientType) => Promise<Result>,
    client = this.#commands,
  ): Promise<Result> {
    if (this.#closed.signal.aborted) throw new Failure('worker.stopping', 'the queue is closed')
    return askRedis(() => work(client))
  }
}

const isEntryId = (id: string): boolean => /^\d+-\d+$/.test(id)

const isReply = (error: unknown, code: string): boolean =>
  error instanceof Failure && error.cause instanceof Error && error.cause.message.startsWith(code)
