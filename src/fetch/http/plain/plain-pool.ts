// A connection pool for one plain HTTP origin. It replaces undici's pool, whose code for TLS and long queues costs 20
// KB per host.

import { undici } from '../undici.ts'
import type { PlainRequest as Waiting } from './plain-request.ts'

/** A connection that sends one request at a time. undici's `Client` is one. */
interface Connection {
  /** Returns false if the next request must wait for `drain`. */
  dispatch(...request: Waiting): boolean
  on(event: 'drain', drained: () => void): unknown
  close(): Promise<void>
  destroy(): Promise<void>
}

export class PlainPool {
  readonly #open: () => Connection
  readonly #most: number
  readonly #clients: Connection[] = []
  /** Connections that are busy. They accept the next request after their `drain` event. */
  readonly #busy = new Set<Connection>()
  readonly #waiting: Waiting[] = []

  constructor(open: () => Connection, most: number) {
    this.#open = open
    this.#most = most
  }

  dispatch(...request: Waiting): void {
    const client = this.#free()
    if (client) this.#give(client, request)
    else this.#waiting.push(request)
  }

  #free(): Connection | null {
    const free = this.#clients.find(client => !this.#busy.has(client))
    if (free) return free
    return this.#clients.length < this.#most ? this.#add() : null
  }

  #add(): Connection {
    const client = this.#open()
    client.on('drain', () => this.#drained(client))
    this.#clients.push(client)
    return client
  }

  #give(client: Connection, request: Waiting): void {
    if (client.dispatch(...request)) this.#busy.delete(client)
    else this.#busy.add(client)
  }

  #drained(client: Connection): void {
    this.#busy.delete(client)
    while (!this.#busy.has(client)) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#give(client, next)
    }
  }

  /** Closes all connections after their requests have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map(client => client.close()))
  }

  /** Aborts requests in flight and waiting requests. */
  async destroy(): Promise<void> {
    const ended = new (undici().errors.ClientDestroyedError)()
    for (const [, handler] of this.#waiting.splice(0)) handler.onResponseError?.(null as never, ended)
    await Promise.all(this.#clients.map(client => client.destroy()))
  }
}
