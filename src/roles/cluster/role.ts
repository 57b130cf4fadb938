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
  /** For the whole process; absent without a metrics server. */
  metrics?: ServiceMetrics
}

export interface Running {
  name: string
  /** Tasks or messages in flight. */
  held: () => number
  /** Receives nothing more, finishes what it has within the grace period and returns the rest, even if a service is down. */
  stop(graceMs: number): Promise<void>
  /** Undefined if the role serves no port. */
  url?: string
  firstKey?: string | null
  /** Whether it leads; only for a role that can be led. */
  leads?: () => boolean
  /** How many tasks may run at a time; only for roles that fetch over HTTP. */
  concurrency?: number
  /** A leader's state of hosts, tasks and proxies, for the metrics. */
  hosts?: () => HostCounts
  work?: () => WorkCounts
  proxies?: () => Promise<readonly ProxyState[]>
  /** Work that needs workers within the next minute; null if this process does not lead. */
  runnable?: (stored: readonly StoredTasks[]) => RunnableWork | null
}

/** After the grace period, aborted tasks have this long to be returned. */
export const handBackMs = 6_000

export type StartRole = (parts: RoleParts) => Promise<Running>
