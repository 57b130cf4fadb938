// Hosts of a service: their state and overrides. Needs the scope `admin`.
import type { HostShown } from '../model/api/hosts.ts'
import type { ErasureReceipt } from '../model/api/operations.ts'
import type { HostPolicyInput } from '../model/policy/policy.ts'
import { type Connection, pathTo } from './connection.ts'
import { pagesOf } from './pages.ts'

export type { HostShown }

export class Hosts {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(): AsyncGenerator<HostShown> {
    return pagesOf(this.#connection, '/hosts', 'hosts')
  }

  get(host: string): Promise<HostShown> {
    return this.#connection.json(pathTo`/hosts/${host}`)
  }

  /** Pauses requests until that time, or until `resume`. */
  pause(host: string, pause: { until?: string; reason?: string } = {}): Promise<HostShown> {
    return this.#connection.json(pathTo`/hosts/${host}/pause`, { body: pause })
  }

  resume(host: string): Promise<HostShown> {
    return this.#connection.json(pathTo`/hosts/${host}/resume`, { method: 'POST' })
  }

  /** Permanently deletes everything stored about a host. `*.example.com` includes its subdomains. */
  erase(
    host: string,
    how: { dryRun?: boolean; andNeverAgain?: boolean; reason?: string } = {},
  ): Promise<ErasureReceipt> {
    return this.#connection.json(pathTo`/hosts/${host}/data`, { method: 'DELETE', query: how, retries: 0 })
  }

  /** Overrides the domain policies of a host. Null removes the override. */
  setPolicy(host: string, policy: HostPolicyInput | null): Promise<HostShown> {
    const path = pathTo`/hosts/${host}/policy`
    return this.#connection.json(
      path,
      policy === null ? { method: 'DELETE' } : { method: 'PUT', body: policy },
    )
  }
}
