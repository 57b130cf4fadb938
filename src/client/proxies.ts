// Proxies of a service and their health. Needs the scope `admin`.
import type { ProxyShown } from '../model/api/service.ts'
import type { Connection } from './connection.ts'

export type { ProxyShown }

export class Proxies {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async list(): Promise<ProxyShown[]> {
    return (await this.#connection.json<{ proxies: ProxyShown[] }>('/proxies')).proxies
  }

  /** Checks every proxy now and returns their health. */
  async check(): Promise<ProxyShown[]> {
    return (await this.#connection.json<{ proxies: ProxyShown[] }>('/proxies/check', { method: 'POST' }))
      .proxies
  }
}
