// Workers in other processes: tasks go to them as messages, and continue when this coordinator stops.

import { taskPages } from '../../lib/list-pages.ts'
import type { SettledTask } from '../../model/cluster-messages.ts'
import type { Job } from '../../model/job.ts'
import type { TaskBatch, TimedTask } from '../../model/lane.ts'
import { leasedStates } from '../../model/task.ts'
import type { Queue } from '../../ports/queue.ts'
import { permitGoodForMs, startGoodForMs } from '../work/lane/slot-times.ts'
import type { CoordinatorSettings, Workers, WorkersContext } from './context.ts'
import { loadHostStates } from './hosts/load-host-state.ts'
import type { InFlightTask } from './in-flight.ts'
import type { RunningJob } from './running-job.ts'

/** The connection to the worker processes: which ones exist, and which tasks they have. */
export interface WorkerLink {
  readonly isReachable: boolean
  /** Number of known worker processes; 1 if there are none, because callers divide by it. */
  readonly workerCount: number
  sweep(context: WorkersContext): Promise<void>
  ingest(context: WorkersContext, running: RunningJob): Promise<void>
  /** Requeues the tasks that no worker has started. Workers finish the other tasks. */
  handBack(context: WorkersContext): Promise<void>
}

interface RemoteWorkersParts {
  link: WorkerLink
  httpQueue: Queue<TaskBatch>
  browserQueue: Queue<TaskBatch>
}

/** How many tasks to send to each worker process in addition to those that run. */
export const remoteLookAhead = 1_024
/** Limit of tasks in flight at one host without a rate. It is high, because the number of workers may grow while a job runs. */
const mostOfHost = 100_000
const releaseEveryMs = 150
/** Tasks in one message: an equal share for each worker, within these bounds. */
const fewestInMessage = 32
const mostInMessage = 256
const tasksPerPage = 1_000

export class RemoteWorkers implements Workers {
  readonly releaseEveryMs = releaseEveryMs
  readonly #parts: RemoteWorkersParts

  constructor(parts: RemoteWorkersParts) {
    this.#parts = parts
  }

  get isReachable(): boolean {
    return this.#parts.link.isReachable
  }

  get extraTasks(): number {
    return remoteLookAhead * this.#parts.link.workerCount
  }

  mostPerHost(): number {
    return mostOfHost
  }

  /** Processors commit the tasks, so this process commits only host states. */
  isIdleCommitDue({ settings }: WorkersContext, sinceMs: number): boolean {
    return sinceMs >= settings.sweepMs
  }

  startValidMs(gapMs: number, paceMs: number): number {
    return startGoodForMs(gapMs, paceMs)
  }

  permitValidMs(gapMs: number, lapsed: number): number {
    return permitGoodForMs(gapMs, lapsed)
  }

  async send(context: WorkersContext, tasks: TimedTask[]): Promise<void> {
    const { httpQueue, browserQueue } = this.#parts
    const ways = [
      [browserQueue, tasks.filter(({ way }) => way === 'browser')],
      [httpQueue, tasks.filter(({ way }) => way === 'http')],
    ] as const
    for (const [queue, own] of ways) if (own.length > 0) await queue.send(this.#messagesOf(context, own))
    for (const task of tasks) {
      const entry = context.inFlight.get(task)
      if (entry) entry.sentAt = context.clock.now()
    }
  }

  /** Divides tasks into messages. Tasks of a host with a rate are placed next to each other. So usually one worker gets all
   *  of them, and spaces their requests. */
  #messagesOf({ jobs, settings: { owner } }: WorkersContext, tasks: TimedTask[]): TaskBatch[] {
    const marked = tasks.map(task => (jobs.get(task.jobId)?.isAwaited ? { ...task, isAwaited: true } : task))
    const ordered = marked.toSorted((a, b) => (a.gapMs === 0 ? 0 : 1) - (b.gapMs === 0 ? 0 : 1))
    const share = Math.ceil(ordered.length / this.#parts.link.workerCount)
    const size = Math.min(mostInMessage, Math.max(fewestInMessage, share))
    const messages: TaskBatch[] = []
    for (let at = 0; at < ordered.length; at += size)
      messages.push({ owner, tasks: ordered.slice(at, at + size) })
    return messages
  }

  ingest(context: WorkersContext, running: RunningJob): Promise<void> {
    return this.#parts.link.ingest(context, running)
  }

  sweep(context: WorkersContext): Promise<void> {
    return this.#parts.link.sweep(context)
  }

  /** Does nothing: workers extend their leases with heartbeats in the streams, and lease times in the store are not used. */
  async extendLeases(): Promise<void> {}

  /** Adds the tasks that an earlier coordinator released. They count as in flight at their hosts until they are reported or found
   *  to be lost. */
  async resume(context: WorkersContext, running: RunningJob): Promise<void> {
    const { store, shards, hosts, inFlight, clock } = context
    const leased = { states: [...leasedStates], limit: tasksPerPage }
    for await (const tasks of taskPages(store.tasks, running.id, leased)) {
      running.suspectOrphans()
      const own = tasks.filter(({ host }) => shards.leads(host))
      await loadHostStates(
        context,
        own.map(({ host }) => host),
      )
      for (const task of own) {
        hosts.occupy(task.host)
        inFlight.add({ task, slot: true, sentAt: clock.now() })
      }
    }
  }

  /** True if another shard or an earlier leader may have lost a worker. This process would not know which pages that
   *  worker stored. */
  mayHaveLeftOrphans({ shards }: WorkersContext, { state }: Job): boolean {
    return shards.filter !== undefined || state !== 'pending'
  }

  /** True for a lost task, for a failure of the storage, and if the task took longer than a lease. In the last case, an
   *  earlier worker may have stored pages before it lost the task. */
  leavesOrphan({ leaseMs }: CoordinatorSettings, { sentAt }: InFlightTask, outcome: SettledTask): boolean {
    const isLate = sentAt !== undefined && outcome.endedAt - sentAt >= leaseMs
    return outcome.isLost || outcome.reason === 'storage.failed' || isLate
  }

  recheckOrphans(
    { clock, settings, stopping }: Pick<WorkersContext, 'clock' | 'settings' | 'stopping'>,
    check: () => Promise<void>,
  ): void {
    void clock
      .sleep(2 * settings.leaseMs, stopping)
      .catch(() => {})
      .then(() => (stopping.aborted ? undefined : check()))
  }

  /** Does nothing: the next leader continues with the tasks in flight. */
  async drain(): Promise<void> {}

  handBack(context: WorkersContext): Array<() => Promise<void>> {
    return [() => this.#parts.link.handBack(context)]
  }
}
