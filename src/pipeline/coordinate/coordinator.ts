// The coordinator: releases what may run, commits what was done, obeys requests, and ends jobs. One loop per process.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { isSampled } from '../../lib/traces/trace-context.ts'
import { asFailure, Failure, isAway } from '../../model/failures.ts'
import type { AnsweredTask, SettledGroup } from '../../model/hand-over.ts'
import { hasEnded, isFed, type Job } from '../../model/job.ts'
import type { LaneJob, TaskReport } from '../../model/lane.ts'
import type { ExecutionPolicy } from '../../model/policy/policy.ts'
import { ingestFailed, ingestHere } from '../submit/ingest-job.ts'
import { answerAwaited } from './answer-awaited.ts'
import { checkIdleJobs } from './check-idle-job.ts'
import { commitReports } from './commit-reports.ts'
import type { CoordinatorContext, HandOver } from './context.ts'
import { applyControlRequests } from './control-requests.ts'
import { finishJob } from './finish-job.ts'
import type { OutputFollower } from './follow-outputs.ts'
import { dropInFlight } from './in-flight.ts'
import { pauseJob, resumeJob, tendJob } from './job-control.ts'
import { identitiesFor, tendProxies } from './job-identities.ts'
import { learnAnswered, learnSettled } from './learn-outcomes.ts'
import { loadHostStates } from './load-host-state.ts'
import { refreshConduct } from './refresh-conduct.ts'
import { releaseTasks } from './release-tasks.ts'
import { resumeInFlightTasks } from './resume-in-flight.ts'
import { RunningJob } from './running-job.ts'
import { parkedHost } from './settle.ts'
import { followOthers, followState, isFirst, isHome, renewShare } from './shards.ts'
import { stopJob } from './stop-job.ts'

/** Tasks handed to the lanes (or to each process that fetches) beyond what runs, so that they never wait for a commit. */
const lookAhead = 512
export const lookAheadElsewhere = 1_024
/** Of one host without bounds, where those who fetch come and go. */
const mostOfHost = 100_000
/** Reports wait this long for company, or until there are this many: each group costs one sync of the disk. */
const gatherMs = 50
const gatherCount = 384
/** If no more reports come in twice that time, waiting brings no company: tasks that hang at dead hosts must not slow the others. */
const fewReports = 6
/** Where others fetch: releases are this far apart as long as they have plenty, unless there is room for a part of all. */
const releaseGatherMs = 150
const roomOf = 1 / 3
const shortestTurnMs = 1
/** Jobs taken in hand and the like, before what runs has its turn again. */
const operationsPerTurn = 16

interface QueuedOperation {
  run: () => Promise<void>
  refuse: (failure: Failure) => void
}

export class Coordinator {
  readonly context: CoordinatorContext
  readonly #outputs: OutputFollower
  #reports: TaskReport[] = []
  /** Reports that came in this window of `gatherMs`, and in the one before. */
  #flow = { since: 0, now: 0, before: 0 }
  /** What other processes wrote down. */
  #settled: SettledGroup[] = []
  #alarm: (() => void) | null = null
  #nextSweep = 0
  #committedAt = 0
  #releasedAt = 0
  #nextExtend = 0
  #ingests = new Map<string, Promise<void>>()
  /** What the disk said last, so that it is told once. */
  #trouble = ''
  #fatal: Error | null = null
  /** What others want done between two turns, where nothing else touches the jobs. */
  #queuedOperations: QueuedOperation[] = []
  #forever = false

  constructor(context: Omit<CoordinatorContext, 'deliver'>, outputs: OutputFollower) {
    this.context = { ...context, deliver: reports => this.deliver(reports) }
    this.#outputs = outputs
  }

  deliver(reports: TaskReport[]): void {
    this.#reports.push(...reports)
    this.#countFlow(reports.length)
    this.#alarm?.()
  }

  /** Another process wrote this down. */
  learn(group: SettledGroup): void {
    this.#settled.push(group)
    this.#alarm?.()
  }

  /** Requests of other processes that ended: their hosts may be asked again. */
  answered(tasks: readonly AnsweredTask[]): void {
    learnAnswered(this.context, tasks)
    this.#alarm?.()
  }

  /** Something that no waiting will mend: the run ends with it, after the usual tidying up. */
  fail(error: Error): void {
    this.#fatal ??= error
    this.#alarm?.()
  }

  /**
   * Does `work` between two turns of the loop, at once when it rests, and gives back what came of it. A loop that has ended does
   * none: whoever asked is told that the service is stopping.
   */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.context.stopping.aborted) return Promise.reject(stoppingFailure())
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#queuedOperations.push({ run: () => work().then(resolve, reject), refuse: reject })
    this.#alarm?.()
    return promise
  }

  /** Takes a job in hand: pending, running or paused, new or left by a process that is gone. */
  async adopt(job: Job, lane: LaneJob): Promise<void> {
    const { context } = this
    const counts = await context.store.jobs.counts(job.id)
    const isOurs = isHome(context.shard, job)
    const running = new RunningJob(job, lane, counts, context.settings, {
      at: context.clock.now(),
      inFlight: () => context.inFlight.countOf(job.id),
      readsSource: isOurs,
      tracedTasks: isSampled(job.traceparent) ? (context.settings.traceTasks ?? 0) : 0,
      identities: self => identitiesFor(context, self),
    })
    if (isOurs) await this.#outputs.open(running.job)
    // Another shard may have lost a page of it, or whoever led before, and died with that knowledge.
    if (context.shard || (context.handOver && job.state !== 'pending')) running.suspectOrphans()
    context.jobs.set(job.id, running)
    try {
      await this.#runAdopted(running, isOurs)
    } catch (error) {
      // Half in hand, its tasks would be taken for nobody's.
      for (const entry of [...context.inFlight.values()])
        if (entry.task.jobId === job.id) dropInFlight(context, entry)
      this.#releaseJob(running)
      throw error
    }
  }

  async #runAdopted(running: RunningJob, isOurs: boolean): Promise<void> {
    const { context } = this
    const { job, lane } = running
    context.lanes.openJob(lane)
    context.dispatcher.open({
      id: job.id,
      createdAt: job.createdAt,
      single: running.isAwaited,
      policy: dispatchPolicy(running, context.handOver ? mostOfHost : this.#most),
      remaining: () => running.open,
      allowance: () => running.allowance(this.#slotsOf(running), context.clock.now()),
      identities: running.identities ?? undefined,
    })
    const pending = await context.store.tasks.pendingHosts(job.id, context.shard)
    await loadHostStates(
      context,
      pending.map(({ host }) => host),
    )
    for (const { host, count } of pending)
      if (host !== parkedHost) context.dispatcher.addWork(job.id, host, count)
    if (context.handOver) await resumeInFlightTasks(context, running)
    await renewShare(context, running)
    if (!isOurs) return followState(context, running)
    if (job.state === 'paused' && job.reason !== 'interrupted')
      await pauseJob(context, running, job.reason, job.resumeAt)
    else if (!running.cancelled) await resumeJob(context, running)
    if (running.ingesting) this.#ingest(running)
  }

  /** A polite job needs no more in hand than runs; an unlimited one is kept fed. */
  #slotsOf({ job, isUnbound }: RunningJob): number {
    const concurrency = job.spec.concurrency ?? this.context.settings.concurrency
    return isUnbound ? concurrency + this.#ahead : concurrency
  }

  get #ahead(): number {
    const { handOver } = this.context
    return handOver ? lookAheadElsewhere * handOver.workerCount : lookAhead
  }

  /** In hand at a time. */
  get #most(): number {
    return this.context.settings.concurrency + this.#ahead
  }

  #ingest(running: RunningJob): void {
    const { context } = this
    if (isFed(running.job.ingest)) return
    const done = (context.handOver?.ingest(context, running) ?? ingestHere(context, running))
      .catch(error => ingestFailed(this.context, running, error))
      .finally(() => {
        this.#ingests.delete(running.id)
        this.#alarm?.()
      })
    this.#ingests.set(running.id, done)
  }

  /** Runs until every job here has ended or was put down, or `stopping` says so; `forever` waits for more jobs to come. */
  async run({ forever = false } = {}): Promise<void> {
    const { context } = this
    this.#forever = forever
    try {
      while (!context.stopping.aborted && (forever || context.jobs.size > 0))
        await this.#turn().catch(error => this.#holdForStorage(error))
    } finally {
      await this.#stop()
    }
  }

  async #turn(): Promise<void> {
    if (this.#fatal) throw this.#fatal
    for (const { run } of this.#queuedOperations.splice(0, operationsPerTurn)) await run()
    if (this.context.clock.now() >= this.#nextSweep) await this.#sweep()
    for (const group of this.#settled.splice(0)) await learnSettled(this.context, group)
    if (this.#groupIsDue()) await this.#commit()
    const nextAt = await this.#release()
    await this.#endJobs()
    await this.#rest(nextAt)
  }

  /** Large enough, or waited long enough, or nothing else is under way. */
  #groupIsDue(): boolean {
    const waiting = this.#reports.length
    // Alone, the states of hosts are written down now and then: others do the rest.
    if (waiting === 0 && this.context.handOver)
      return this.context.clock.now() - this.#committedAt >= this.context.settings.sweepMs
    return (
      waiting >= Math.min(gatherCount, this.context.inFlight.size) ||
      (waiting > 0 && this.#flow.now + this.#flow.before <= fewReports) ||
      this.context.clock.now() - this.#committedAt >= gatherMs
    )
  }

  #countFlow(count: number): void {
    const now = this.context.clock.now()
    const { since } = this.#flow
    if (now - since >= gatherMs)
      this.#flow = { since: now, now: 0, before: now - since < 2 * gatherMs ? this.#flow.now : 0 }
    this.#flow.now += count
  }

  async #commit(): Promise<void> {
    const reports = this.#reports.splice(0)
    this.#committedAt = this.context.clock.now()
    try {
      await commitReports(this.context, reports)
    } catch (error) {
      // Nothing is dropped: what could not be written is written when there is room again.
      this.#reports.unshift(...reports)
      throw error
    }
    await this.#outputs.follow()
    this.#trouble = ''
  }

  /** A disk that is full, or another process that writes, passes; a reader who closed the pipe does not. */
  async #holdForStorage(error: unknown): Promise<void> {
    const failure = asFailure(error)
    const passes = failure.code.startsWith('storage.') || isAway(failure)
    if (!passes || failure.details.path === '-') throw error
    if (failure.message !== this.#trouble)
      this.context.emit('notice.given', { jobId: null, message: `${failure.message}; trying again` })
    this.#trouble = failure.message
    await this.context.clock.sleep(this.context.settings.sweepMs, this.context.stopping).catch(() => {})
  }

  async #release(): Promise<number | null> {
    const { context } = this
    if (context.handOver && !context.handOver.isReachable) return null
    const most = this.#most
    if (context.handOver && this.#gathers(most)) return this.#releasedAt + releaseGatherMs
    this.#releasedAt = context.clock.now()
    let nextAt: number | null = null
    for (let capacity = most - context.inFlight.size; capacity > 0; capacity = most - context.inFlight.size) {
      const released = await releaseTasks(context, capacity)
      this.#reports.push(...released.refused)
      nextAt = released.nextAt
      if (released.count === 0 || released.refused.length > 0) break
    }
    return nextAt
  }

  /** Others have plenty to do: the next messages are fuller, and fewer. */
  #gathers(most: number): boolean {
    const isFull = this.context.inFlight.size > most * (1 - roomOf)
    return isFull && this.context.clock.now() < this.#releasedAt + releaseGatherMs
  }

  async #sweep(): Promise<void> {
    const { context } = this
    const now = context.clock.now()
    this.#nextSweep = now + context.settings.sweepMs
    if (now >= this.#nextExtend) await this.#extendLeases(now)
    for (const { jobId, host, count } of await context.store.tasks.wake(now, context.shard))
      context.dispatcher.addWork(jobId, host, count)
    await refreshConduct(context)
    if (isFirst(context.shard)) await applyControlRequests(context)
    tendProxies(context)
    await context.handOver?.sweep(context)
    if (context.shard) await this.#followOthers()
    for (const job of context.jobs.values()) {
      await tendJob(context, job)
      if (job.ingesting && job.job.state === 'running' && !this.#ingests.has(job.id)) this.#ingest(job)
    }
  }

  async #followOthers(): Promise<void> {
    const { adopt, releaseJob } = await followOthers(this.context)
    for (const running of releaseJob) this.#releaseJob(running)
    for (const jobId of adopt) this.context.adopt?.(jobId)
  }

  async #extendLeases(now: number): Promise<void> {
    const { owner, leaseMs } = this.context.settings
    this.#nextExtend = now + leaseMs / 4
    // What others have under way they keep by their signs in the streams; no time in the store is looked at then, and thousands would be written.
    if (!this.context.handOver) await this.context.store.tasks.extend(owner, now + leaseMs)
    await checkIdleJobs(this.context)
  }

  async #endJobs(): Promise<void> {
    for (const running of [...this.context.jobs.values()]) {
      if (this.#reports.length > 0) continue
      const isOver =
        (isHome(this.context.shard, running.job) &&
          (await finishJob(this.context, running, this.#outputs))) ||
        (await stopJob(this.context, running, this.#outputs))
      if (!isOver) continue
      this.#releaseJob(running)
    }
  }

  #releaseJob(running: RunningJob): void {
    this.context.jobs.delete(running.id)
    this.context.dispatcher.close(running.id)
    this.context.lanes.closeJob(running.id)
  }

  /** Until a report comes, the plan says so, or the next sweep is due. */
  async #rest(nextAt: number | null): Promise<void> {
    if (this.#queuedOperations.length > 0) return letOthersRun()
    if (this.#groupIsDue() && this.#reports.length > 0) return
    if (this.context.jobs.size === 0 && !this.#forever) return
    const commitAt = this.#reports.length > 0 ? this.#committedAt + gatherMs : Number.POSITIVE_INFINITY
    const until = Math.min(nextAt ?? Number.POSITIVE_INFINITY, this.#nextSweep, commitAt)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.max(shortestTurnMs, until - this.context.clock.now()))
    const onStop = () => resolve()
    this.context.stopping.addEventListener('abort', onStop)
    this.#alarm = resolve
    await promise
    this.#alarm = null
    clearTimeout(timer)
    this.context.stopping.removeEventListener('abort', onStop)
  }

  /** What runs may finish within the grace period; the rest goes back untouched. A disk that is full stops none of it. */
  async #stop(): Promise<void> {
    const { context } = this
    // Jobs that were accepted before the stop are adopted, so that their callers get an answer.
    if (!context.handOver) for (const { run } of this.#queuedOperations.splice(0)) await run()
    for (const { refuse } of this.#queuedOperations.splice(0)) refuse(stoppingFailure())
    if (context.handOver) return this.#stepDown(context.handOver)
    const deadline = Date.now() + context.settings.graceMs
    await answerAwaited(context, deadline, () => this.#turn())
    while (context.inFlight.size > 0 && Date.now() < deadline) {
      await this.#attempt(() => this.#commit())
      if (context.inFlight.size > 0) await new Promise(resolve => setTimeout(resolve, 20))
    }
    await context.lanes[Symbol.asyncDispose]()
    await Promise.allSettled(this.#ingests.values())
    await this.#lastFilesWritten()
    await this.#attempt(() => this.#commit())
    await this.#attempt(() => this.#giveBack())
    for (const running of context.jobs.values()) await this.#attempt(() => this.#leave(running))
    await this.#attempt(() => this.#outputs.close())
  }

  /** Whoever comes next goes on: jobs stay as they are, and so does what others have under way. */
  async #stepDown(handOver: HandOver): Promise<void> {
    const { context } = this
    await context.lanes[Symbol.asyncDispose]()
    await Promise.allSettled(this.#ingests.values())
    await this.#lastFilesWritten()
    for (const group of this.#settled.splice(0)) await this.#attempt(() => learnSettled(context, group))
    await this.#attempt(() => this.#commit())
    await this.#attempt(() => handOver.stepDown(context))
    await this.#attempt(() => this.#outputs.close())
  }

  /** After the stop nothing may write any more: the caller may delete the folder or hand over the bucket. */
  async #lastFilesWritten(): Promise<void> {
    await Promise.all([...this.context.jobs.values()].map(({ finish }) => finish.ending?.written))
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    await step().catch(error =>
      this.context.emit('notice.given', { jobId: null, message: asFailure(error).message }),
    )
  }

  #giveBack(): Promise<void> {
    const tasks = this.context.inFlight.values().map(held => held.task)
    return this.context.store.tasks.release(this.context.settings.owner, [...tasks])
  }

  async #leave(running: RunningJob): Promise<void> {
    const { context } = this
    const job = await context.store.jobs.get(running.id)
    if (!job || hasEnded(job.state) || job.state === 'paused') return
    await context.store.jobs.move(running.id, ['pending', 'running'], 'paused', {
      reason: 'interrupted',
      at: context.clock.now(),
    })
    context.emit('job.moved', { jobId: running.id, to: 'paused', reason: 'interrupted' })
  }
}

const stoppingFailure = (): Failure =>
  new Failure('worker.stopping', 'the service is stopping; ask again when it is back')

/** What the dispatcher asks hosts for, on this job's behalf. */
function dispatchPolicy(running: RunningJob, lookAheadTasks: number): ExecutionPolicy {
  const { robots, ...host } = running.hostPolicy(lookAheadTasks)
  return { ...running.job.spec.policy, host, robots }
}
