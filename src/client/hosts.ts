// Hosts of a service: how they stand, and what is set for them. Needs the scope `admin`.
import type { ErasureReceipt } from '../model/erasure.ts'
import type { HostPolicyInput } from '../model/policy/policy.ts'
import { type Connection, pathTo } from './connection.ts'
import { pagesOf } from './pages.ts'

export interface HostShown {
  host: string
  /** Requests per second that it is asked at most. */
  rateNow: number | 'unlimited'
  /** Under 1 while it is asked more slowly after a 429. */
  rateFactor: number
  crawlDelayMs: number | null
  policy: Record<string, unknown>
  policySet: { policy: Record<string, unknown>; by: string; at: string } | null
  paused: { until: string | null; reason: string | null; by: string; at: string } | null
  /** Why nothing is asked of it at all. */
  denied: string | null
  breaker: { state: 'closed' | 'open' | 'half_open'; until: string | null }
  waits: { reason: string; until: string | null } | null
  inFlight: number
  requests: number
  failures: number
  lastErrors: Array<{ code: string; message: string | null; at: string | null }>
  robots: Array<{
    origin: string
    verdict: 'parsed' | 'unavailable' | 'unreachable'
    status: number | null
    frontPage: { allowed: boolean; rule: string | null } | null
    crawlDelayMs: number | null
    fetchedAt: string
    expiresAt: string
  }>
}

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

  /** Nothing is asked of it until then, or until it is resumed. */
  pause(host: string, pause: { until?: string; reason?: string } = {}): Promise<HostShown> {
    return this.#connection.json(pathTo`/hosts/${host}/pause`, { body: pause })
  }

  resume(host: string): Promise<HostShown> {
    return this.#connection.json(pathTo`/hosts/${host}/resume`, { method: 'POST' })
  }

  /** Takes everything away that was kept of it, for good; `*.example.com` with its subdomains. */
  erase(
    host: string,
    how: { dryRun?: boolean; andNeverAgain?: boolean; reason?: string } = {},
  ): Promise<ErasureReceipt> {
    return this.#connection.json(pathTo`/hosts/${host}/data`, { method: 'DELETE', query: how, retries: 0 })
  }

  /** Over the file of domain policies; null goes back to it. */
  setPolicy(host: string, policy: HostPolicyInput | null): Promise<HostShown> {
    const path = pathTo`/hosts/${host}/policy`
    return this.#connection.json(
      path,
      policy === null ? { method: 'DELETE' } : { method: 'PUT', body: policy },
    )
  }
}
