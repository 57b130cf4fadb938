// What a role of a cluster is given, and what it is while it runs.
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
  /** Of the whole process; none where nobody looks. */
  metrics?: ServiceMetrics
}

export interface Running {
  name: string
  /** Tasks or messages in hand. */
  held: () => number
  /** Takes no more, finishes what it has within the grace time, gives back the rest; a service that is away holds it up for no longer. */
  stop(graceMs: number): Promise<void>
  /** Only where there is something to reach. */
  url?: string
  firstKey?: string | null
  /** Whether it leads; only for a role that can be led. */
  leads?: () => boolean
  /** Tasks that may be under way at a time; only where plain pages are asked for. */
  concurrency?: number
  /** What whoever leads knows of hosts, tasks and proxies, for the metrics. */
  hosts?: () => HostCounts
  work?: () => WorkCounts
  proxies?: () => Promise<readonly ProxyState[]>
  /** Work that workers are needed for within the next minute; null while this process does not lead. */
  runnable?: (stored: readonly StoredTasks[]) => RunnableWork | null
}

/** What was broken off when the grace time was over has this long to be handed back. */
export const handBackMs = 6_000

export type StartRole = (parts: RoleParts) => Promise<Running>
