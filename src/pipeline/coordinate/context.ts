// Everything the coordinator works with, one per process. A function takes only the part that its module names.

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
import type { InFlightTask, InFlightTasks } from './in-flight.ts'
import type { ProxyPool } from './proxy-pool.ts'
import type { RobotsGate } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'

/** The lanes that fetch for this coordinator. They report through a callback that they were opened with. */
export interface Lanes extends AsyncDisposable {
  readonly count: number
  openJob(job: LaneJob): void
  closeJob(jobId: string): void
  /** Aborts the requests of the job. Its tasks report `job.cancelled`. */
  cancelJob(jobId: string): void
  fetchRobots(origin: string, job: LaneJob, identity: TaskIdentity | null): Promise<RobotsReport>
  /** Whether a browser of this process loads a page; absent if browsers run in other processes. */
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
  maxRetryAfterMs: number
  /** No policy of a task may exceed these. */
  ceilings?: Ceilings | undefined
  /** Receives the end of every job that names no webhook of its own. */
  webhookUrl?: string | undefined
  /** A job that a queue feeds ends when no message came for this long. */
  queueIdleMs?: number
  /** How many tasks of a traced job are traced, from the first on; default 0. */
  traceTasks?: number
}

/** Steps of the coordinator's loop that a stop may still need. None of them throws. */
export interface LastSteps {
  runQueued(): Promise<void>
  turn(): Promise<void>
  commit(): Promise<void>
}

/** What the workers use of the coordinator. */
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
 * Where tasks run: in lanes of this process (`LocalWorkers`), or in worker processes that continue when this coordinator stops
 * (`RemoteWorkers`). The coordinator treats both alike.
 */
export interface Workers {
  /** Whether tasks can be sent now; if not, they wait in the store. */
  readonly isReachable: boolean
  /** Tasks to send beyond those that run, so that no lane waits for a commit. */
  readonly lookAhead: number
  /** While the workers have enough tasks, releases are this far apart. */
  readonly releaseEveryMs: number
  /** How many tasks of one unlimited host may be in flight; `most` is the limit for all hosts. */
  mostPerHost(most: number): number
  /** Whether host states should be committed although no report waits. */
  isIdleCommitDue(context: WorkersContext, sinceMs: number): boolean
  /** How long after its planned start a request may be sent; undefined for any time. */
  startValidMs(gapMs: number, paceMs: number): number | undefined
  /** The same for a permit. `lapsed`: how many permits for this request expired. */
  permitValidMs(gapMs: number, lapsed: number): number | undefined
  send(context: WorkersContext, tasks: TimedTask[]): Promise<void>
  /** Ingests the source of a job. Resolves when all rows are tasks. */
  ingest(context: WorkersContext, running: RunningJob): Promise<void>
  /** Counts the workers, and finds tasks that were lost on their way. */
  sweep(context: WorkersContext): Promise<void>
  extendLeases(context: WorkersContext): Promise<void>
  /** Counts tasks in flight that an earlier coordinator released. */
  resume(context: WorkersContext, running: RunningJob): Promise<void>
  /** Whether an earlier process may have stored pages of the job without reporting them. */
  mayHaveLeftOrphans(context: WorkersContext, job: Job): boolean
  /** The same for an attempt that was settled. */
  leavesOrphan(settings: CoordinatorSettings, entry: InFlightTask, outcome: SettledTask): boolean
  /** Runs `check` again when an excluded worker can no longer store a page. */
  recheckOrphans(
    context: Pick<WorkersContext, 'clock' | 'settings' | 'stopping'>,
    check: () => Promise<void>,
  ): void
  /** Before the lanes stop: lets work finish that only this process can finish. */
  drain(context: WorkersContext, steps: LastSteps): Promise<void>
  /** After the lanes have stopped: steps that return unfinished work. Each is tried even if another fails. */
  handBack(context: WorkersContext): Array<() => Promise<void>>
}

/** What following the coordinators of other shards needs. */
export type ShardContext = Pick<CoordinatorContext, 'jobs' | 'store' | 'dispatcher' | 'lanes'>

/** Which hosts and jobs this coordinator leads: all of them (`allHosts`), or one shard (`HostShard`). */
export interface Shards {
  /** For store queries; undefined selects all hosts. */
  readonly filter: Shard | undefined
  /** Whether this coordinator does what must be done once in a cluster. */
  readonly isFirst: boolean
  leads(host: string): boolean
  /** Whether this coordinator ingests the job, decides on its budget and ends it. */
  isHome(job: Pick<Job, 'id' | 'spec'>): boolean
  /** Whether this coordinator adopts the job without a request. It adopts other jobs only on request. */
  concerns(job: Job): boolean
  /** Returns the work of own hosts. `passesOn`: tells the other coordinators about theirs. */
  ownWork(added: readonly AddedWork[], passesOn: boolean): AddedWork[]
  /** Tells the leader of a host in another shard that a request ended there. */
  requestEnded(host: string, result: RequestResult): void
  /** Applies what other coordinators did to jobs. Returns the jobs to adopt and to release. */
  follow(context: ShardContext): Promise<{ adopt: string[]; release: RunningJob[] }>
  /** Applies the stored state of a job that another coordinator controls. */
  followState(context: ShardContext, running: RunningJob): Promise<void>
  /** Reserves a part of the job's page limit, so that all shards together stay below it. */
  renewPageShare(context: ShardContext, running: RunningJob): Promise<void>
  /** Whether another shard still has tasks of the job. */
  hasWorkElsewhere(store: Store, jobId: string): Promise<boolean>
}

/** Marks a named place where fault tests end the process. */
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
  /** When this process started. An earlier one may have sent requests until then. */
  startedAt: number
  jobs: Map<string, RunningJob>
  inFlight: InFlightTasks
  /** Passes reports to the coordinator, which commits them with its next group. */
  deliver: (reports: TaskReport[]) => void
  stopping: AbortSignal
  /** Handles a control request for a job that is not adopted. */
  steerIdle?: (jobId: string, kind: RequestKind) => Promise<void>
  /** The operator's proxies; without it jobs have only their own. */
  proxies?: ProxyPool | undefined
  /** Adopts a job soon that another process has accepted. */
  adopt?: (jobId: string) => void
}
