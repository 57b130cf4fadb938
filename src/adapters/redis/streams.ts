// Reads contents and consumers of the task streams. The coordinator uses it to find lost tasks.
import type { RedisClientType } from 'redis'
import type { StreamContents, StreamEntry, WorkerHeartbeat } from '../../ports/stream-contents.ts'
import { askRedis, type ConnectOptions, closeRedis, connectRedis } from './connection.ts'
import { forgetConsumer, idleConsumers, resetLag } from './consumers.ts'
import { bodyOf } from './message-body.ts'

const readAtOnce = 1_000
/** A consumer without a heartbeat for this time counts as gone. */
const silentMs = 15_000

export async function openStreamContents(
  options: { url: string; prefix: string } & ConnectOptions,
): Promise<StreamContents> {
  return new RedisStreams(await connectRedis(options.url, options), options.prefix)
}

interface RawEntry {
  id: string
  message: Record<string, string>
}

class RedisStreams implements StreamContents {
  readonly #client: RedisClientType
  readonly #prefix: string

  constructor(client: RedisClientType, prefix: string) {
    this.#client = client
    this.#prefix = prefix
  }

  async entries<Message>(stream: string): Promise<StreamEntry<Message>[]> {
    const found: StreamEntry<Message>[] = []
    const lastDelivered = await this.#lastDelivered(stream)
    for (let from = '-'; ; ) {
      const page = await this.#page(stream, from)
      for (const { id, message } of page) {
        const body = bodyOf(message)
        const isTaken = lastDelivered !== null && !isLater(id, lastDelivered)
        // Entries of other programs are skipped; the reader of the stream acknowledges them.
        if (body !== undefined) found.push({ id, body: body as Message, isTaken })
      }
      if (page.length < readAtOnce) return found
      from = `(${page.at(-1)!.id}`
    }
  }

  async #page(stream: string, from: string, count = readAtOnce): Promise<RawEntry[]> {
    const read = () => this.#client.xRange(this.#prefix + stream, from, '+', { COUNT: count })
    return ((await askRedis(read)) ?? []) as RawEntry[]
  }

  /** Id of the last delivered entry; null if none was delivered yet. */
  async #lastDelivered(stream: string): Promise<string | null> {
    try {
      const [group] = await askRedis(() => this.#client.xInfoGroups(this.#prefix + stream))
      return group ? String(group['last-delivered-id']) : null
    } catch {
      return null
    }
  }

  async waitingMs(stream: string): Promise<number> {
    const lastDelivered = await this.#lastDelivered(stream)
    const from = lastDelivered === null ? '-' : `(${lastDelivered}`
    const [oldest] = await this.#page(stream, from, 1)
    return oldest ? Math.max(0, Date.now() - Number(oldest.id.split('-')[0])) : 0
  }

  async drop(stream: string, ids: string[]): Promise<void> {
    if (ids.length > 0) await askRedis(() => this.#client.xDel(this.#prefix + stream, ids))
  }

  async forgetReceivers(stream: string, idleMs: number): Promise<void> {
    const place = this.#prefix + stream
    const idle = await idleConsumers(this.#client, place, idleMs)
    if (idle.length === 0) return
    const alive = new Set((await this.workers()).map(({ name }) => name))
    for (const name of idle) if (!alive.has(name)) await forgetConsumer(this.#client, place, name)
  }

  resetLag(stream: string): Promise<void> {
    return resetLag(this.#client, this.#prefix + stream)
  }

  async signIn(name: string, sign: Omit<WorkerHeartbeat, 'name'>): Promise<void> {
    const value = JSON.stringify({ ...sign, at: Date.now() })
    await askRedis(() => this.#client.hSet(`${this.#prefix}workers`, name, value))
  }

  async signOut(name: string): Promise<void> {
    await askRedis(() => this.#client.hDel(`${this.#prefix}workers`, name))
  }

  async workers(): Promise<WorkerHeartbeat[]> {
    const signs = await askRedis(() => this.#client.hGetAll(`${this.#prefix}workers`))
    const known = Object.entries(signs).map(([name, text]) => ({ name, ...JSON.parse(text as string) }))
    const gone = known.filter(({ at }) => Date.now() - at > silentMs).map(({ name }) => name)
    if (gone.length > 0) await askRedis(() => this.#client.hDel(`${this.#prefix}workers`, gone))
    return known.filter(({ name }) => !gone.includes(name))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeRedis(this.#client)
  }
}

/** Compares two entry ids. An id is a time and a number, both of any length. */
function isLater(id: string, than: string): boolean {
  const [ms = 0, n = 0] = id.split('-').map(Number)
  const [thanMs = 0, thanN = 0] = than.split('-').map(Number)
  return ms > thanMs || (ms === thanMs && n > thanN)
}
