// A group of metrics with the same reporting roles and events.
import type { Registry } from 'prom-client'
import type { WorkCounts } from '../../dispatch/wait-summary.ts'
import type { Events } from '../../model/events.ts'
import type { HostCounts } from '../../model/host.ts'
import type { ProxyState } from '../../model/policy/proxy.ts'
import type { TaskState } from '../../model/task.ts'
import type { BacklogCounts } from '../../ports/backlog.ts'

/** Values that are read on a scrape. */
export interface LiveMetrics {
  queueDepth: number
  inFlight: number
  jobs: number
  activeBrowsers: number
  /** Tasks of jobs that have not ended. */
  tasks?: Record<TaskState, number>
  /** Most tasks in flight. */
  concurrency?: number
  hosts?: HostCounts
  work?: WorkCounts
  /** Until the next retry; 0 if none waits. */
  nextRetrySeconds?: number
  proxies?: () => Promise<readonly ProxyState[]>
  /** Free disk space; null if pages are stored elsewhere. */
  diskFree?: () => Promise<number | null>
  /** Waiting and running work by kind; only in a cluster. */
  backlog?: () => Promise<BacklogCounts>
  /** Work that needs workers within the next minute; undefined if this process does not lead. Autoscaling uses it. */
  runnable?: () => Promise<BacklogCounts | undefined>
  /** Age of the oldest work without a worker, in seconds. */
  backlogAges?: () => Promise<BacklogCounts>
}

/** Values from the store are missing while it is unavailable; the others remain. */
export type Live = () => Promise<Partial<LiveMetrics>>

/** Events of the engine, and derived facts. */
export interface Facts extends Events {
  'job.ended': { state: string; durationMs: number | null }
}

/** Handlers of a group for the facts that it uses. */
export type Hearing = { [Name in keyof Facts]?: (fact: Facts[Name]) => void }

export type OpenGroup = (registry: Registry, live: Live) => Hearing | undefined
