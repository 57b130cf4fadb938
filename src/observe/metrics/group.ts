// A group of figures: metrics that belong together, are told by the same roles, and hear the same facts.
import type { Registry } from 'prom-client'
import type { WorkCounts } from '../../dispatch/wait-summary.ts'
import type { Events } from '../../model/events.ts'
import type { HostCounts } from '../../model/host.ts'
import type { ProxyState } from '../../model/policy/proxy.ts'
import type { TaskState } from '../../model/task.ts'
import type { BacklogCounts } from '../../ports/backlog.ts'

/** What is asked for when someone looks. */
export interface LiveMetrics {
  queueDepth: number
  inFlight: number
  jobs: number
  activeBrowsers: number
  /** Tasks of jobs that have not ended. */
  tasks?: Record<TaskState, number>
  /** Tasks that may be under way at a time. */
  concurrency?: number
  hosts?: HostCounts
  work?: WorkCounts
  /** Until the next retry is due; 0 where none waits. */
  nextRetrySeconds?: number
  proxies?: () => Promise<readonly ProxyState[]>
  /** What is left of the disk; nothing where pages are kept elsewhere. */
  diskFree?: () => Promise<number | null>
  /** What waits or runs, by the kind of work; only in a cluster. */
  backlog?: () => Promise<BacklogCounts>
  /** What needs workers within the next minute; undefined where nothing is led. Roles are scaled by it. */
  runnable?: () => Promise<BacklogCounts | undefined>
  /** How long the oldest of it waits for somebody to take it, in seconds. */
  backlogAges?: () => Promise<BacklogCounts>
}

/** Without what only the store knows while it is away: whoever looks then still learns the rest. */
export type Live = () => Promise<Partial<LiveMetrics>>

/** What the engine announces, and what follows from it. */
export interface Facts extends Events {
  'job.ended': { state: string; durationMs: number | null }
}

/** What a group does with facts that it knows something of. */
export type Hearing = { [Name in keyof Facts]?: (fact: Facts[Name]) => void }

export type OpenGroup = (registry: Registry, live: Live) => Hearing | undefined
