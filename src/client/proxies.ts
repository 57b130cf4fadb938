// Proxies of a service, and how they are doing. Needs the scope `admin`.
import type { Connection } from './connection.ts'

export interface ProxyShown {
  /** Its address without credentials. */
  name: string
  /** `operator`, or the name of a provider. */
  source: string
  healthy: boolean
  successes: number
  failures: number
  /** The problem, while it is unhealthy. */
  trouble: string | null
  unhealthySince: string | null
}

export class Proxies {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async list(): Promise<ProxyShown[]> {
    return (await this.#connection.json<{ proxies: ProxyShown[] }>('/proxies')).proxies
  }

  /** Checks every proxy now. */
  async check(): Promise<ProxyShown[]> {
    return (await this.#connection.json<{ proxies: ProxyShown[] }>('/proxies/check', { method: 'POST' }))
      .proxies
  }
}
