// Connections to one origin of plain HTTP: undici's pool without what only TLS and long queues need, which each of thousands of hosts
// would have (20 KB, and the time to clear it away).
import type { Client, Dispatcher } from 'undici'
import { undici } from './undici.ts'

type Waiting = [options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler]

export class PlainPool {
  readonly #open: () => Client
  readonly #most: number
  readonly #clients: Client[] = []
  /** Those that can take no more before they have drained. */
  readonly #busy = new Set<Client>()
  readonly #waiting: Waiting[] = []

  constructor(open: () => Client, most: number) {
    this.#open = open
    this.#most = most
  }

  dispatch(...request: Waiting): void {
    const client = this.#free()
    if (client) this.#give(client, request)
    else this.#waiting.push(request)
  }

  #free(): Client | null {
    const free = this.#clients.find(client => !this.#busy.has(client))
    if (free) return free
    return this.#clients.length < this.#most ? this.#add() : null
  }

  #add(): Client {
    const client = this.#open()
    client.on('drain', () => this.#drained(client))
    this.#clients.push(client)
    return client
  }

  #give(client: Client, request: Waiting): void {
    if (client.dispatch(...request)) this.#busy.delete(client)
    else this.#busy.add(client)
  }

  #drained(client: Client): void {
    this.#busy.delete(client)
    while (!this.#busy.has(client)) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#give(client, next)
    }
  }

  /** Lets go of connections that nobody uses. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map(client => client.close()))
  }

  /** Ends what is under way, and what waits. */
  async destroy(): Promise<void> {
    const ended = new (undici().errors.ClientDestroyedError)()
    for (const [, handler] of this.#waiting.splice(0)) handler.onResponseError?.(null as never, ended)
    await Promise.all(this.#clients.map(client => client.destroy()))
  }
}
