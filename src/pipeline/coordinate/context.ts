// Everything the coordinator works with, one per process. A function takes only the part that its module names.

import type { Dispatcher } from '../../dispatch/dispatcher.ts'
import type { HostTable, KnownHostPolicy, RequestResult } from '../../dispatch/host-table.ts'
import type { RenderMemory } from '../../dispatch/render-memory.ts'
import type { EgressGate } from '../../fetch/http/index.ts'
import type { HostOverride } from '../../model/conduct.ts'
import type { Emit } from '../../model/events.ts'
import type { AddedWork } from '../../model/hand-over.ts'
import type { LaneJob, RobotsReport, TaskBatch, TaskReport } from '../../model/lane.ts'
import type { Ceilings } from '../../model/policy/policy-ceilings.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { Shard } from '../../model/shard.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Queue } from '../../ports/queue.ts'
import type { RequestKind, Store } from '../../ports/store.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { CrawlList } from './crawl-list.ts'
import type { InFlightTasks } from './in-flight.ts'
import type { ProxyPool } from './proxy-pool.ts'
import type { RobotsGate } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'

/** The lanes as the coordinator sees them. Reports come back by the callback they were opened with. */
export interface Lanes extends AsyncDisposable {
  readonly count: number
  openJob(job: LaneJob): void
  closeJob(jobId: string): void
  /** Aborts what runs for the job. Its tasks report `job.cancelled`. */
  cancelJob(jobId: string): void
  fetchRobots(origin: string, job: LaneJob, identity: TaskIdentity | null): Promise<RobotsReport>
  /** Whether a browser here really loads a page; not where browsers are other processes'. */
  tryBrowser?(): Promise<boolean>
}

export interface CoordinatorSettings {
  owner: string
  concurrency: number
  leaseMs: number
  sweepMs: number
  graceMs: number
  minFreeBytes: number
  denyHosts: readonly string[]
  allowHosts: readonly string[]
  obeyRobots: boolean
  maxPagesPerJob?: number | undefined
  usualAgent?: string | undefined
  maxRetryAfterMs: number
  /** What no task may exceed, whatever its own policy says. */
  ceilings?: Ceilings | undefined
  /** Told of every job that ends and names no address of its own. */
  webhookUrl?: string | undefined
  /** A job that a queue feeds ends when no message came for this long. */
  queueIdleMs?: number
  /** How many tasks of a traced job are traced from the first on; none without it. */
  traceTasks?: number
}

/** What is different where the lanes are processes of their own, which go on when this one ends. */
export interface HandOver {
  /** Whether work can be handed over now; if not, it waits in the store. */
  readonly isReachable: boolean
  /** Processes that fetch; at least one. */
  readonly workerCount: number
  /** Looked at with every sweep: who is there, what came in, what got lost between the processes. */
  sweep(context: CoordinatorContext): Promise<void>
  /** Has the source of a job read; ends when all of it was. */
  ingest(context: CoordinatorContext, running: RunningJob): Promise<void>
  /** Takes back what nobody has begun. What was begun is finished by whoever has it. */
  stepDown(context: CoordinatorContext): Promise<void>
}

/** The coordinators that lead the other hosts. All of it are hints: what is missed is found in the store. */
export interface OtherShards {
  /** Work that came up here, and is theirs. */
  work(added: readonly AddedWork[]): void
  /** A request of one of our tasks that ended at one of their hosts. */
  ended(host: string, result: RequestResult): void
}

/** Named places where fault tests end the process. */
export type Mark = (point: string) => void

export interface CoordinatorContext {
  store: Store
  blobs: Blobs
  clock: Clock
  random: () => number
  emit: Emit
  mark: Mark
  hosts: HostTable
  dispatcher: Dispatcher
  robots: RobotsGate
  /** What nobody is to ask for; `refreshConduct` keeps it as the store says. */
  crawlList: CrawlList
  policyFor: (host: string) => KnownHostPolicy
  /** What the operator set for single hosts: answers with those whose terms it changed. */
  setOverrides: (overrides: HostOverride[]) => string[]
  /** What of that is in force, by the store's own count of changes. */
  conductVersion?: string
  gate: EgressGate
  registry: Registry
  lanes: Lanes
  /** One per lane: the requests of a host that is spaced stay in one lane. */
  queues: ReadonlyArray<Queue<TaskBatch>>
  /** Tasks that go through a browser. */
  browserQueue: Queue<TaskBatch>
  renderMemory: RenderMemory
  settings: CoordinatorSettings
  /** When this process began: an earlier one may have asked hosts until then. */
  startedAt: number
  jobs: Map<string, RunningJob>
  inFlight: InFlightTasks
  /** Hands reports to the coordinator, which commits them with its next group. */
  deliver: (reports: TaskReport[]) => void
  stopping: AbortSignal
  /** What becomes of a request about a job that is in nobody's hands; a service takes such a job up. */
  steerIdle?: (jobId: string, kind: RequestKind) => Promise<void>
  /** What there is of proxies; without it jobs can only bring their own. */
  proxies?: ProxyPool | undefined
  /** Only in a cluster. */
  handOver?: HandOver
  /** Only where several coordinators share the hosts: which of them are led here, and who leads the rest. */
  shard?: Shard
  others?: OtherShards
  /** Takes a job in hand soon that others have accepted. */
  adopt?: (jobId: string) => void
}
