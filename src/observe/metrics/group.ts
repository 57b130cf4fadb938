// A group of metrics that the same roles report and that use the same events.
import type { Registry } from 'prom-client'
import type { WorkCounts } from '../../dispatch/wait-summary.ts'
import type { Events } from '../../model/events.ts'
import type { HostCounts } from '../../model/host.ts'
import type { ProxyState } from '../../model/policy/proxy.ts'
import type { TaskState } from '../../model/task.ts'
import type { BacklogCounts } from '../../ports/backlog.ts'

/** Current values that are read on each scrape. */
export interface LiveMetrics {
  queueDepth: number
  inFlight: number
  jobs: number
  activeBrowsers: number
  /** Tasks of jobs that have not ended. */
  tasks?: Record<TaskState, number>
  /** Limit of tasks in flight. */
  concurrency?: number
  hosts?: HostCounts
  work?: WorkCounts
  /** Time until the next retry; 0 if no retry waits. */
  nextRetrySeconds?: number
  proxies?: () => Promise<readonly ProxyState[]>
  /** Free disk space; null if pages are stored elsewhere. */
  diskFree?: () => Promise<number | null>
  /** Waiting and running work by kind; only in a cluster. */
  backlog?: () => Promise<BacklogCounts>
  /** Work that needs workers within the next minute, for autoscalers. Undefined if this process is not a leading
   *  coordinator. */
  runnable?: () => Promise<BacklogCounts | undefined>
  /** Age of the oldest work without a worker, in seconds. */
  backlogAges?: () => Promise<BacklogCounts>
}

/** Reads the current values. While the store is unavailable, its values are missing. */
export type Live = () => Promise<Partial<LiveMetrics>>

/** Events of the engine, and events derived from them. */
export interface Facts extends Events {
  'job.ended': { state: string; durationMs: number | null }
}

/** The event handlers of a group. */
export type Hearing = { [Name in keyof Facts]?: (fact: Facts[Name]) => void }

export type OpenGroup = (registry: Registry, live: Live) => Hearing | undefined
