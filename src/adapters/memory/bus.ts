// The bus of one process. Its threads share it by name.
import { BroadcastChannel } from 'node:worker_threads'
import type { Bus } from '../../ports/bus.ts'

/** `name` separates the buses of several services in one process. */
export const openThreadBus = (name: string): Bus => new ThreadBus(name)

class ThreadBus implements Bus {
  readonly #name: string
  /** Channels for publishing. A channel does not receive its own messages, so listeners have separate channels. */
  readonly #channels = new Map<string, { channel: BroadcastChannel; closing: NodeJS.Timeout }>()
  readonly #listening = new Set<BroadcastChannel>()

  constructor(name: string) {
    this.#name = name
  }

  async publish(topic: string, message: string): Promise<void> {
    this.#channel(topic).postMessage(message)
  }

  async subscribe(topic: string, heard: (message: string) => void): Promise<() => void> {
    const channel = this.#open(topic)
    channel.onmessage = event => heard((event as { data: string }).data)
    this.#listening.add(channel)
    return () => {
      channel.onmessage = () => {}
      if (this.#listening.delete(channel)) channel.close()
    }
  }

  /** Opens a channel for publishing. It closes when it is unused for a while, because topics are many and short-lived. */
  #channel(topic: string): BroadcastChannel {
    const known = this.#channels.get(topic)
    if (known) {
      known.closing.refresh()
      return known.channel
    }
    const channel = this.#open(topic)
    const close = () => {
      this.#channels.delete(topic)
      channel.close()
    }
    this.#channels.set(topic, { channel, closing: setTimeout(close, keptMs).unref() })
    return channel
  }

  #open(topic: string): BroadcastChannel {
    const channel = new BroadcastChannel(`${this.#name} ${topic}`)
    ;(channel as unknown as { unref(): void }).unref()
    return channel
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { channel, closing } of this.#channels.values()) {
      clearTimeout(closing)
      channel.close()
    }
    this.#channels.clear()
    for (const channel of this.#listening) channel.close()
    this.#listening.clear()
  }
}

const keptMs = 60_000
