// The bus of a cluster. It publishes through Redis; each process subscribes with its own connection.
import type { RedisClientType } from 'redis'
import type { Bus } from '../../ports/bus.ts'
import { askRedis, type ConnectOptions, closeRedis, connectRedis } from './connection.ts'

interface RedisBusOptions extends ConnectOptions {
  url: string
  /** Prefix of every channel name. */
  prefix: string
}

export async function openRedisBus(options: RedisBusOptions): Promise<Bus> {
  return new RedisBus(await connectRedis(options.url, options), options)
}

class RedisBus implements Bus {
  readonly #publisher: RedisClientType
  readonly #options: RedisBusOptions
  #subscriber: Promise<RedisClientType> | null = null

  constructor(publisher: RedisClientType, options: RedisBusOptions) {
    this.#publisher = publisher
    this.#options = options
  }

  async publish(topic: string, message: string): Promise<void> {
    await askRedis(() => this.#publisher.publish(this.#key(topic), message))
  }

  async subscribe(topic: string, heard: (message: string) => void): Promise<() => void> {
    this.#subscriber ??= connectRedis(this.#options.url, { mayBeAway: true })
    const client = await this.#subscriber
    const key = this.#key(topic)
    await askRedis(() => client.subscribe(key, heard))
    return () => void client.unsubscribe(key, heard).catch(() => {})
  }

  #key(topic: string): string {
    return `${this.#options.prefix}bus:${topic}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = await this.#subscriber?.catch(() => null)
    client?.destroy()
    await closeRedis(this.#publisher)
  }
}
