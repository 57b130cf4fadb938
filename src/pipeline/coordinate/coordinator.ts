// The coordinator: releases tasks, commits reports, handles control requests and ends jobs. One loop per process.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { offAbort, onAbort } from '../../lib/abort-handlers.ts'
import { isSampled } from '../../lib/traces/trace-context.ts'
import type { AnsweredTask, SettledGroup } from '../../model/cluster-messages.ts'
import { asFailure, Failure, mayPass } from '../../model/failures.ts'
import { isFed, type Job } from '../../model/job.ts'
import type { LaneJob, TaskReport } from '../../model/lane.ts'
import type { ExecutionPolicy } from '../../model/policy/policy.ts'
import { ingestFailed } from '../submit/ingest-job.ts'
import type { CoordinatorContext } from './context.ts'
import { loadHostStates } from './hosts/load-host-state.ts'
import { dropInFlight } from './in-flight.ts'
import { checkProxies, identitiesFor } from './job-identities.ts'
import { checkIdleJobs } from './job-states/check-idle-job.ts'
import { applyControlRequests } from './job-states/control-requests.ts'
import { finishJob } from './job-states/finish-job.ts'
import { checkJob, pauseJob, resumeJob } from './job-states/job-control.ts'
import { stopJob } from './job-states/stop-job.ts'
import type { OutputFollower } from './outputs/follow-outputs.ts'
import { refreshConduct } from './refresh-conduct.ts'
import { releaseTasks } from './release-tasks.ts'
import { RunningJob } from './running-job.ts'
import { commitReports } from './settle/commit-reports.ts'
import { learnAnswered, learnSettled } from './settle/learn-outcomes.ts'
import { ReportGroup } from './settle/report-group.ts'
import { parkedHost } from './settle/settle.ts'

/** The workers count as busy while less than this share of their capacity is free. */
const freePart = 1 / 3
const shortestRestMs = 1
/** Limit of queued operations in one turn of the loop, so that many operations do not delay the release of tasks. */
const operationsPerTurn = 16

interface QueuedOperation {
  run: () => Promise<void>
  refuse: (failure: Failure) => void
}

export class Coordinator {
  readonly context: CoordinatorContext
  readonly #outputs: OutputFollower
  readonly #reports = new ReportGroup()
  /** Groups that other processes committed. */
  #settled: SettledGroup[] = []
  #alarm: (() => void) | null = null
  #nextSweep = 0
  #releasedAt = 0
  #nextExtend = 0
  #ingests = new Map<string, Promise<void>>()
  /** The last storage error, so that it is reported once. */
  #trouble = ''
  #fatal: Error | null = null
  /** Operations of other callers, such as the API. They run between two turns of the loop, when nothing else changes the jobs. */
  #queuedOperations: QueuedOperation[] = []
  #forever = false

  constructor(context: Omit<CoordinatorContext, 'deliver'>, outputs: OutputFollower) {
    this.context = { ...context, deliver: reports => this.deliver(reports) }
    this.#outputs = outputs
  }

  deliver(reports: TaskReport[]): void {
    this.#reports.add(reports, this.context.clock.now())
    this.#alarm?.()
  }

  /** Applies the outcomes of a group that another process has committed. */
  learn(group: SettledGroup): void {
    this.#settled.push(group)
    this.#alarm?.()
  }

  /** Updates the hosts of requests that worker processes have completed, so that the next requests can start. Their pages are not
   *  parsed yet. */
  answered(tasks: readonly AnsweredTask[]): void {
    learnAnswered(this.context, tasks)
    this.#alarm?.()
  }

  /** Stops the coordinator because of an error that no retry can fix. `run` stops normally and then throws the
   *  error. */
  fail(error: Error): void {
    this.#fatal ??= error
    this.#alarm?.()
  }

  /** Runs `work` between two turns of the loop. If the loop is waiting, runs it at once. Rejects if the loop has
   *  ended. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.context.stopping.aborted) return Promise.reject(stoppingFailure())
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#queuedOperations.push({ run: () => work().then(resolve, reject), refuse: reject })
    this.#alarm?.()
    return promise
  }

  /** Adopts a job that is pending, running or paused. It may be new, or an earlier process may have run it. */
  async adopt(job: Job, lane: LaneJob): Promise<void> {
    const { context } = this
    const counts = await context.store.jobs.counts(job.id)
    const isHome = context.shards.isHome(job)
    const running = new RunningJob(job, lane, counts, context.settings, {
      at: context.clock.now(),
      inFlight: () => context.inFlight.countOf(job.id),
      readsSource: isHome,
      tracedTasks: isSampled(job.traceparent) ? (context.settings.traceTasks ?? 0) : 0,
      identities: self => identitiesFor(context, self),
    })
    if (isHome) await this.#outputs.open(running.job)
    if (context.workers.mayHaveLeftOrphans(context, job)) running.suspectOrphans()
    context.jobs.set(job.id, running)
    try {
      await this.#runAdopted(running, isHome)
    } catch (error) {
      // Undo everything. A partly adopted job would keep the leases of its tasks but never run them.
      for (const entry of [...context.inFlight.values()])
        if (entry.task.jobId === job.id) dropInFlight(context, entry)
      this.#releaseJob(running)
      throw error
    }
  }

  async #runAdopted(running: RunningJob, isHome: boolean): Promise<void> {
    const { context } = this
    const { job, lane } = running
    context.lanes.openJob(lane)
    context.dispatcher.open({
      id: job.id,
      createdAt: job.createdAt,
      single: running.isAwaited,
      policy: dispatchPolicy(running, context.workers.mostPerHost(this.#most)),
      remaining: () => running.open,
      allowance: () => running.allowance(this.#slotsOf(running), context.clock.now()),
      identities: running.identities ?? undefined,
    })
    const pending = await context.store.tasks.pendingHosts(job.id, context.shards.filter)
    await loadHostStates(
      context,
      pending.map(({ host }) => host),
    )
    for (const { host, count } of pending)
      if (host !== parkedHost) context.dispatcher.addWork(job.id, host, count)
    await context.workers.resume(context, running)
    await context.shards.renewPageShare(context, running)
    if (!isHome) return context.shards.followState(context, running)
    if (job.state === 'paused' && job.reason !== 'interrupted')
      await pauseJob(context, running, job.reason, job.resumeAt)
    else if (!running.cancelled) await resumeJob(context, running)
    if (running.ingesting) this.#ingest(running)
  }

  /** How many tasks of a job may be in flight. A job without a rate limit gets extra tasks, so that it never waits for a commit. */
  #slotsOf({ job, isUnbound }: RunningJob): number {
    const concurrency = job.spec.concurrency ?? this.context.settings.concurrency
    return isUnbound ? concurrency + this.context.workers.extraTasks : concurrency
  }

  /** Limit of tasks in flight, over all jobs. */
  get #most(): number {
    return this.context.settings.concurrency + this.context.workers.extraTasks
  }

  #ingest(running: RunningJob): void {
    const { context } = this
    if (isFed(running.job.ingest)) return
    const done = context.workers
      .ingest(context, running)
      .catch(error => ingestFailed(context, running, error))
      .finally(() => {
        this.#ingests.delete(running.id)
        this.#alarm?.()
      })
    this.#ingests.set(running.id, done)
  }

  /** Runs until every job has ended or was released, or until `stopping`. With `forever` it waits for more jobs. */
  async run({ forever = false } = {}): Promise<void> {
    const { context } = this
    this.#forever = forever
    try {
      while (!context.stopping.aborted && (forever || context.jobs.size > 0))
        await this.#turn().catch(error => this.#waitForStorage(error))
    } finally {
      await this.#stop()
    }
  }

  async #turn(): Promise<void> {
    if (this.#fatal) throw this.#fatal
    for (const { run } of this.#queuedOperations.splice(0, operationsPerTurn)) await run()
    if (this.context.clock.now() >= this.#nextSweep) await this.#sweep()
    for (const group of this.#settled.splice(0)) await learnSettled(this.context, group)
    if (this.#isGroupDue()) await this.#commit()
    const nextAt = await this.#release()
    await this.#endJobs()
    await this.#rest(nextAt)
  }

  #isGroupDue(): boolean {
    const { context } = this
    const now = context.clock.now()
    if (this.#reports.size > 0) return now >= this.#reports.dueAt(context.inFlight)
    return context.workers.isIdleCommitDue(context, this.#reports.ageMs(now))
  }

  async #commit(): Promise<void> {
    const reports = this.#reports.take(this.context.clock.now())
    try {
      await commitReports(this.context, reports)
    } catch (error) {
      this.#reports.putBack(reports)
      throw error
    }
    await this.#outputs.follow()
    this.#trouble = ''
  }

  /** Waits before the next try if the disk is full or the store is unavailable. Throws all other errors, such as a closed pipe of
   *  an output. */
  async #waitForStorage(error: unknown): Promise<void> {
    const failure = asFailure(error)
    if (!mayPass(failure) || failure.details.path === '-') throw error
    if (failure.message !== this.#trouble)
      this.context.emit('notice.given', { jobId: null, message: `${failure.message}; trying again` })
    this.#trouble = failure.message
    await this.context.clock.sleep(this.context.settings.sweepMs, this.context.stopping).catch(() => {})
  }

  /** Returns when the next task is due; null if that is unknown. */
  async #release(): Promise<number | null> {
    const { context } = this
    if (!context.workers.isReachable) return null
    const most = this.#most
    const nextReleaseAt = this.#releasedAt + context.workers.releaseEveryMs
    const isBusy = context.inFlight.size > most * (1 - freePart)
    // While the workers are busy, release less often, so that each message carries more tasks.
    if (isBusy && context.clock.now() < nextReleaseAt) return nextReleaseAt
    this.#releasedAt = context.clock.now()
    let nextAt: number | null = null
    for (let free = most - context.inFlight.size; free > 0; free = most - context.inFlight.size) {
      const released = await releaseTasks(context, free)
      this.#reports.addRefused(released.refused)
      nextAt = released.nextAt
      if (released.count === 0 || released.refused.length > 0) break
    }
    return nextAt
  }

  async #sweep(): Promise<void> {
    const { context } = this
    const now = context.clock.now()
    this.#nextSweep = now + context.settings.sweepMs
    if (now >= this.#nextExtend) await this.#extendLeases(now)
    for (const { jobId, host, count } of await context.store.tasks.wake(now, context.shards.filter))
      context.dispatcher.addWork(jobId, host, count)
    await refreshConduct(context)
    if (context.shards.isFirst) await applyControlRequests(context)
    checkProxies(context)
    await context.workers.sweep(context)
    await this.#followShards()
    for (const job of context.jobs.values()) {
      await checkJob(context, job)
      if (job.ingesting && job.job.state === 'running' && !this.#ingests.has(job.id)) this.#ingest(job)
    }
  }

  async #followShards(): Promise<void> {
    const { adopt, release } = await this.context.shards.follow(this.context)
    for (const running of release) this.#releaseJob(running)
    for (const jobId of adopt) this.context.adopt?.(jobId)
  }

  async #extendLeases(now: number): Promise<void> {
    this.#nextExtend = now + this.context.settings.leaseMs / 4
    await this.context.workers.extendLeases(this.context)
    await checkIdleJobs(this.context)
  }

  async #endJobs(): Promise<void> {
    const { context } = this
    for (const running of [...context.jobs.values()]) {
      if (this.#reports.size > 0) continue
      const isOver =
        (context.shards.isHome(running.job) && (await finishJob(context, running, this.#outputs))) ||
        (await stopJob(context, running, this.#outputs))
      if (isOver) this.#releaseJob(running)
    }
  }

  #releaseJob(running: RunningJob): void {
    this.context.jobs.delete(running.id)
    this.context.dispatcher.close(running.id, this.context.clock.now())
    this.context.lanes.closeJob(running.id)
  }

  /** Waits until a report arrives, a task is due, or the next sweep is due. */
  async #rest(nextAt: number | null): Promise<void> {
    if (this.#queuedOperations.length > 0) return letOthersRun()
    // Refused tasks are due at once, and SQLite answers without a turn of the event loop. So without this turn, nothing else
    // would run until the last of these tasks is settled.
    if (this.#reports.size > 0 && this.#isGroupDue()) return letOthersRun()
    if (this.context.jobs.size === 0 && !this.#forever) return
    const commitAt = this.#reports.dueAt(this.context.inFlight)
    const until = Math.min(nextAt ?? Number.POSITIVE_INFINITY, this.#nextSweep, commitAt)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.max(shortestRestMs, until - this.context.clock.now()))
    const onStop = () => resolve()
    onAbort(this.context.stopping, onStop)
    this.#alarm = resolve
    await promise
    this.#alarm = null
    clearTimeout(timer)
    offAbort(this.context.stopping, onStop)
  }

  /** Stops the coordinator. If one step fails, for example a write to a full disk, the next steps run anyway. */
  async #stop(): Promise<void> {
    const { context } = this
    const commit = () => this.#attempt(() => this.#commit())
    await context.workers.drain(context, {
      runQueued: async () => {
        for (const { run } of this.#queuedOperations.splice(0)) await run()
      },
      turn: () => this.#turn().catch(() => context.clock.sleep(100)),
      commit,
    })
    for (const { refuse } of this.#queuedOperations.splice(0)) refuse(stoppingFailure())
    await context.lanes[Symbol.asyncDispose]()
    await Promise.allSettled(this.#ingests.values())
    // Wait for the last files: after the stop the caller may delete the folder, or another leader may write to the bucket.
    await Promise.all([...context.jobs.values()].map(({ finish }) => finish.ending?.written))
    for (const group of this.#settled.splice(0)) await this.#attempt(() => learnSettled(context, group))
    await commit()
    for (const step of context.workers.handBack(context)) await this.#attempt(step)
    await this.#attempt(() => this.#outputs.close())
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    await step().catch(error =>
      this.context.emit('notice.given', { jobId: null, message: asFailure(error).message }),
    )
  }
}

const stoppingFailure = (): Failure =>
  new Failure('worker.stopping', 'the service is stopping; retry when it is back')

/** The host policy of the job, as the dispatcher applies it. */
function dispatchPolicy(running: RunningJob, mostPerHost: number): ExecutionPolicy {
  const { robots, ...host } = running.hostPolicy(mostPerHost)
  return { ...running.job.spec.policy, host, robots }
}
