// The contract of a cluster role: its dependencies, and its handle while it runs.
import type { Loaded } from '../../config/load.ts'
import type { WorkCounts } from '../../dispatch/wait-summary.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { HostCounts } from '../../model/host.ts'
import type { ProxyState } from '../../model/policy/proxy.ts'
import type { ServiceMetrics } from '../../observe/metrics/service-metrics.ts'
import type { Mark } from '../../pipeline/coordinate/context.ts'
import type { RunnableWork } from '../../pipeline/coordinate/runnable-work.ts'
import type { StoredTasks } from '../../ports/backlog.ts'
import type { Traces } from '../../ports/traces.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { Log } from '../../server/parts.ts'

export interface RoleParts extends Loaded {
  registry: Registry
  scraperFiles: string[]
  events: Emitter
  emit: Emitter['emit']
  mark: Mark
  log: Log
  traces: Traces
  /** Metrics of the whole process; absent if it has no metrics server. */
  metrics?: ServiceMetrics
}

export interface Running {
  name: string
  /** Tasks or messages in flight. */
  held: () => number
  /** Accepts no new work, finishes its tasks within the grace period and returns the other tasks. Works even if a service
   *  such as Redis is down. */
  stop(graceMs: number): Promise<void>
  /** The URL that the role serves; undefined if it serves no port. */
  url?: string
  firstKey?: string | null
  /** Whether this process leads a shard; only for coordinators. */
  leads?: () => boolean
  /** Maximum number of requests in flight; only for roles that fetch over HTTP. */
  concurrency?: number
  /** A leader's counts of hosts, tasks and proxies, for the metrics. */
  hosts?: () => HostCounts
  work?: () => WorkCounts
  proxies?: () => Promise<readonly ProxyState[]>
  /** Tasks that need workers within the next minute; null if this process does not lead. */
  runnable?: (stored: readonly StoredTasks[]) => RunnableWork | null
}

/** Extra time after the grace period for returning aborted tasks, in milliseconds. */
export const handBackMs = 6_000

export type StartRole = (parts: RoleParts) => Promise<Running>
