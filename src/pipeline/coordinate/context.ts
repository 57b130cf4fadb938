// The dependencies of the coordinator. There is one context per process. Each module picks the part of it that its functions use.

import type { Dispatcher } from '../../dispatch/dispatcher.ts'
import type { HostTable, RequestResult } from '../../dispatch/host-table.ts'
import type { RenderMemory } from '../../dispatch/render-memory.ts'
import type { EgressGate } from '../../fetch/http/index.ts'
import type { AddedWork, SettledTask } from '../../model/cluster-messages.ts'
import type { Emit } from '../../model/events.ts'
import type { Job } from '../../model/job.ts'
import type { LaneJob, RobotsReport, TaskReport, TimedTask } from '../../model/lane.ts'
import type { Ceilings } from '../../model/policy/policy-ceilings.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { Shard } from '../../model/shard.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RequestKind, Store } from '../../ports/store.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { ConductRules } from './conduct-rules.ts'
import type { RobotsGate } from './hosts/robots-gate.ts'
import type { InFlightTask, InFlightTasks } from './in-flight.ts'
import type { ProxyPool } from './proxy-pool.ts'
import type { RunningJob } from './running-job.ts'

/** The lanes that fetch for this coordinator. They report through the callback that was given when they were opened. */
export interface Lanes extends AsyncDisposable {
  readonly count: number
  openJob(job: LaneJob): void
  closeJob(jobId: string): void
  /** Aborts the requests of the job. Its tasks report `job.cancelled`. */
  cancelJob(jobId: string): void
  fetchRobots(origin: string, job: LaneJob, identity: TaskIdentity | null): Promise<RobotsReport>
  /** Starts a browser and loads a page, to test whether browsers work. Absent if browsers run in other processes. */
  tryBrowser?(): Promise<boolean>
}

export interface CoordinatorSettings {
  owner: string
  concurrency: number
  leaseMs: number
  sweepMs: number
  graceMs: number
  minFreeBytes: number
  obeyRobots: boolean
  maxPagesPerJob?: number | undefined
  usualAgent?: string | undefined
  /** The operator's ceilings for the policy of each task. */
  ceilings?: Ceilings | undefined
  /** Receives the webhook of every job that has no `webhookUrl`. */
  webhookUrl?: string | undefined
  /** A job whose tasks come from a message queue ends if no message arrives for this time. */
  queueIdleMs?: number
  /** How many tasks of a traced job are traced, counted from the first task. Default: 0. */
  traceTasks?: number
}

/** Steps of the coordinator's loop that the workers may run while the process stops. They never throw. */
export interface LastSteps {
  runQueued(): Promise<void>
  turn(): Promise<void>
  commit(): Promise<void>
}

/** The part of the context that the workers use. */
export type WorkersContext = Pick<
  CoordinatorContext,
  | 'store'
  | 'clock'
  | 'emit'
  | 'hosts'
  | 'startedAt'
  | 'dispatcher'
  | 'jobs'
  | 'inFlight'
  | 'shards'
  | 'deliver'
  | 'settings'
  | 'stopping'
>

/**
 * Where tasks run: in lanes of this process (`LocalWorkers`), or in worker processes that continue when this
 * coordinator stops (`RemoteWorkers`). The coordinator uses both through this interface.
 */
export interface Workers {
  /** Whether tasks can be sent now; if not, they wait in the store. */
  readonly isReachable: boolean
  /** How many tasks to send in addition to those that run, so that no lane is idle during a commit. */
  readonly extraTasks: number
  /** The minimum time between two releases of tasks while the workers are busy. */
  readonly releaseEveryMs: number
  /** How many tasks of one host without a rate limit may be in flight. `most` is the limit for all hosts together. */
  mostPerHost(most: number): number
  /** Whether to commit host states now, although there is no report to commit. */
  isIdleCommitDue(context: WorkersContext, sinceMs: number): boolean
  /** How long after the start of its slot a request may be sent. Undefined means no limit. */
  startValidMs(gapMs: number, paceMs: number): number | undefined
  /** How long a permit is valid. `lapsed` is the number of permits for the same request that expired. Undefined means
   *  no limit. */
  permitValidMs(gapMs: number, lapsed: number): number | undefined
  send(context: WorkersContext, tasks: TimedTask[]): Promise<void>
  /** Ingests the source of a job. Resolves when all rows are tasks. */
  ingest(context: WorkersContext, running: RunningJob): Promise<void>
  /** Counts the workers, and finds tasks that were lost between the coordinator and a worker. */
  sweep(context: WorkersContext): Promise<void>
  extendLeases(context: WorkersContext): Promise<void>
  /** Adds the tasks of the job that an earlier coordinator released and that are still in flight. */
  resume(context: WorkersContext, running: RunningJob): Promise<void>
  /** Whether an earlier process may have stored pages of the job without reporting them. */
  mayHaveLeftOrphans(context: WorkersContext, job: Job): boolean
  /** Whether a settled attempt may have left a stored page that no attempt refers to. */
  leavesOrphan(settings: CoordinatorSettings, entry: InFlightTask, outcome: SettledTask): boolean
  /** Runs `check` later. By then, workers that lost their lease can no longer store a page. */
  recheckOrphans(
    context: Pick<WorkersContext, 'clock' | 'settings' | 'stopping'>,
    check: () => Promise<void>,
  ): void
  /** Called before the lanes stop. Waits for running work that no other process could finish. */
  drain(context: WorkersContext, steps: LastSteps): Promise<void>
  /** Called after the lanes have stopped. Returns steps that requeue unfinished work; the caller runs all of them, even if one fails. */
  handBack(context: WorkersContext): Array<() => Promise<void>>
}

/** Dependencies for following the coordinators of other shards. */
export type ShardContext = Pick<CoordinatorContext, 'jobs' | 'store' | 'dispatcher' | 'lanes'>

/** Which hosts and jobs this coordinator leads: all of them (`allHosts`), or one shard (`HostShard`). */
export interface Shards {
  /** The shard to which store queries are limited. Undefined means all hosts. */
  readonly filter: Shard | undefined
  /** Whether this coordinator does the work that only one coordinator of the cluster may do. */
  readonly isFirst: boolean
  leads(host: string): boolean
  /** Whether this coordinator ingests the job, enforces its limits and ends it. */
  isHome(job: Pick<Job, 'id' | 'spec'>): boolean
  /** Whether this coordinator adopts the job by itself. It adopts other jobs only when it is asked to. */
  concerns(job: Job): boolean
  /** Returns the part of `added` that is at hosts of this shard. With `passesOn`, reports the other part to the
   *  coordinators that lead those hosts. */
  ownWork(added: readonly AddedWork[], passesOn: boolean): AddedWork[]
  /** Notifies the leader of another shard that a request to one of its hosts has ended. */
  requestEnded(host: string, result: RequestResult): void
  /** Applies the changes that other coordinators made to jobs. Returns the jobs to adopt and to release. */
  follow(context: ShardContext): Promise<{ adopt: string[]; release: RunningJob[] }>
  /** Applies the stored state of a job that another coordinator controls. */
  followState(context: ShardContext, running: RunningJob): Promise<void>
  /** Reserves a part of the job's page limit, so that all shards together stay below it. */
  renewPageShare(context: ShardContext, running: RunningJob): Promise<void>
  /** Whether another shard still has tasks of the job. */
  hasWorkElsewhere(store: Store, jobId: string): Promise<boolean>
}

/** Marks a fault point: a named place where fault tests kill the process. */
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
  conduct: ConductRules
  gate: EgressGate
  registry: Registry
  lanes: Lanes
  workers: Workers
  shards: Shards
  renderMemory: RenderMemory
  settings: CoordinatorSettings
  /** When this process started. Until this time, an earlier process may have sent requests. */
  startedAt: number
  jobs: Map<string, RunningJob>
  inFlight: InFlightTasks
  /** Passes reports to the coordinator, which commits them with its next group. */
  deliver: (reports: TaskReport[]) => void
  stopping: AbortSignal
  /** Handles a control request for a job that is not adopted. */
  controlIdle?: (jobId: string, kind: RequestKind) => Promise<void>
  /** The operator's proxies. If unset, a job can only use its own proxies. */
  proxies?: ProxyPool | undefined
  /** Schedules the adoption of a job that another process has accepted. */
  adopt?: (jobId: string) => void
}
