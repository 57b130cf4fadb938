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
  /** Only where there is something to reach. */
  url?: string
  firstKey?: string | null
  /** Whether it leads; only for a role that can be led. */
  leads?: () => boolean
  /** Tasks that may be under way at a time; only where plain pages are asked for. */
  concurrency?: number
  /** What a leader knows of hosts, tasks and proxies, for the metrics. */
  hosts?: () => HostCounts
  work?: () => WorkCounts
  proxies?: () => Promise<readonly ProxyState[]>
  /** Work that workers are needed for within the next minute; null while this process does not lead. */
  runnable?: (stored: readonly StoredTasks[]) => RunnableWork | null
}

/** After the grace period, aborted tasks have this long to be returned. */
export const handBackMs = 6_000

export type StartRole = (parts: RoleParts) => Promise<Running>
