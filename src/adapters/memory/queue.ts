// The queue of one process: messages in memory, with leases that expire by the clock.
import type { Clock } from '../../ports/clock.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'

interface Entry<Message> extends Delivery<Message> {
  leaseEndsAt: number
}

interface MemoryQueueOptions {
  clock: Clock
  leaseMs: number
}

export const openMemoryQueue = <Message>(options: MemoryQueueOptions): Queue<Message> =>
  new MemoryQueue(options)

class MemoryQueue<Message> implements Queue<Message> {
  readonly #clock: Clock
  readonly #leaseMs: number
  /** A first-in first-out queue of two arrays. When `#ready` is empty, `#incoming` is reversed into it, so each message
   *  moves once. */
  #ready: Entry<Message>[] = []
  #incoming: Entry<Message>[] = []
  readonly #held = new Map<string, Entry<Message>>()
  #arrival = Promise.withResolvers<void>()
  #sent = 0
  #closed = false

  constructor({ clock, leaseMs }: MemoryQueueOptions) {
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  async send(messages: Message[]): Promise<void> {
    for (const body of messages)
      this.#incoming.push({ id: String(++this.#sent), body, delivery: 0, leaseEndsAt: 0 })
    this.#announce()
  }

  async receive(max: number, waitMs: number, signal: AbortSignal): Promise<Delivery<Message>[]> {
    const until = this.#clock.now() + waitMs
    while (!signal.aborted && !this.#closed) {
      const taken = this.#take(max)
      const leftMs = until - this.#clock.now()
      if (taken.length > 0 || leftMs <= 0) return taken
      await this.#arrivalWithin(leftMs, signal)
    }
    return []
  }

  async extend(ids: string[]): Promise<void> {
    const leaseEndsAt = this.#clock.now() + this.#leaseMs
    for (const id of ids) {
      const entry = this.#held.get(id)
      if (entry) entry.leaseEndsAt = leaseEndsAt
    }
  }

  async ack(ids: string[]): Promise<void> {
    for (const id of ids) this.#held.delete(id)
  }

  async depth(): Promise<{ waiting: number; held: number }> {
    this.#takeBackExpired()
    return { waiting: this.#ready.length + this.#incoming.length, held: this.#held.size }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#announce()
  }

  #take(max: number): Delivery<Message>[] {
    this.#takeBackExpired()
    const taken: Delivery<Message>[] = []
    while (taken.length < max) {
      const entry = this.#next()
      if (!entry) break
      entry.delivery += 1
      entry.leaseEndsAt = this.#clock.now() + this.#leaseMs
      this.#held.set(entry.id, entry)
      taken.push({ id: entry.id, body: entry.body, delivery: entry.delivery })
    }
    return taken
  }

  #next(): Entry<Message> | undefined {
    if (this.#ready.length === 0) {
      this.#ready = this.#incoming.reverse()
      this.#incoming = []
    }
    return this.#ready.pop()
  }

  // Returns messages with expired leases to the front, because they have waited longest.
  #takeBackExpired(): void {
    const now = this.#clock.now()
    const expired = [...this.#held.values()].filter(entry => entry.leaseEndsAt <= now)
    for (const entry of expired.reverse()) {
      this.#held.delete(entry.id)
      this.#ready.push(entry)
    }
  }

  #announce(): void {
    this.#arrival.resolve()
    this.#arrival = Promise.withResolvers()
  }

  /** Waits until a message is sent, a lease expires, the time is over, or the signal is aborted. */
  async #arrivalWithin(ms: number, signal: AbortSignal): Promise<void> {
    const leaseEnds = [...this.#held.values()].map(entry => entry.leaseEndsAt - this.#clock.now())
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const sleep = this.#clock.sleep(Math.max(0, Math.min(ms, ...leaseEnds)), either).catch(() => {})
    await Promise.race([this.#arrival.promise, sleep])
    over.abort()
  }
}
