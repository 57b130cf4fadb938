// The link between a leading coordinator and the workers. It counts live workers, finds lost messages, and tracks the ingest of
// sources.

import { offAbort, onAbort } from '../../lib/abort-handlers.ts'
import { taskPages } from '../../lib/list-pages.ts'
import {
  type IngestMessage,
  type ProcessMessage,
  type SourceUpdate,
  streams,
} from '../../model/cluster-messages.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TaskBatch, TimedTask } from '../../model/lane.ts'
import { leasedStates } from '../../model/task.ts'
import type { WorkersContext } from '../../pipeline/coordinate/context.ts'
import { dropInFlight, type InFlightTask } from '../../pipeline/coordinate/in-flight.ts'
import { findWork } from '../../pipeline/coordinate/job-states/check-idle-job.ts'
import type { WorkerLink } from '../../pipeline/coordinate/remote-workers.ts'
import type { RunningJob } from '../../pipeline/coordinate/running-job.ts'
import { acceptWork } from '../../pipeline/coordinate/settle/learn-outcomes.ts'
import { attemptKey, heartbeatEveryMs } from '../../pipeline/work/fetch-loop.ts'
import { failedReport } from '../../pipeline/work/task-report.ts'
import type { Queue } from '../../ports/queue.ts'
import type { StreamContents, WorkerHeartbeat } from '../../ports/stream-contents.ts'
import { fetches } from './presence.ts'

interface StreamLinkParts {
  contents: StreamContents
  ingestQueue: Queue<IngestMessage>
  /** The limit of requests in flight is never lower than this, even if no worker has reported its concurrency. */
  leastConcurrency: number
  leaseMs: number
}

/** A sent task can count as lost only after a quarter of the lease, within these bounds. Before that, the task may be on
 *  its way from one stream to another. */
const freshMs = { least: 2_000, most: 15_000 }
/** A worker that lost its Redis connection reconnects within this time and reports its tasks. */
const findAgainMs = 2_500
const longestLookMs = 5_000
/** Milliseconds between two checks while a task is missing. */
const soonMs = 1_000
const askedAtOnce = 1_000
/** A consumer without heartbeats is deleted after `afterMs`; the leader checks every `everyMs`. */
const forget = { afterMs: 600_000, everyMs: 60_000 }

export class StreamLink implements WorkerLink {
  readonly #parts: StreamLinkParts
  readonly #sources = new Map<string, PromiseWithResolvers<void>>()
  #workers: WorkerHeartbeat[] = []
  #nextLook = 0
  #nextForgetting = 0
  /** Tasks in flight that are in no stream. The value is the time when the leader first noticed that. */
  #missing = new Map<string, number>()
  /** The last time a worker reported that it runs the task. */
  readonly #inHand = new Map<string, number>()
  isReachable = true

  constructor(parts: StreamLinkParts) {
    this.#parts = parts
  }

  get workers(): readonly WorkerHeartbeat[] {
    return this.#workers
  }

  get workerCount(): number {
    return Math.max(1, this.#workers.length)
  }

  async sweep(context: WorkersContext): Promise<void> {
    try {
      await this.#countWorkers(context)
      if (context.clock.now() >= this.#nextLook) await this.#look(context)
      this.isReachable = true
    } catch (error) {
      const { code, message } = asFailure(error)
      if (code !== 'queue.unavailable') throw error
      if (this.isReachable) context.emit('notice.given', { jobId: null, message })
      this.isReachable = false
    }
  }

  /** Limits the tasks in flight to this shard's part of the concurrency of all workers together. */
  async #countWorkers(context: WorkersContext): Promise<void> {
    this.#workers = (await this.#parts.contents.workers()).filter(fetches)
    const sum = this.#workers.reduce((total, { concurrency }) => total + concurrency, 0)
    const own = Math.ceil(sum / (context.shards.filter?.count ?? 1))
    context.settings.concurrency = Math.max(this.#parts.leastConcurrency, own)
  }

  async #look(context: WorkersContext): Promise<void> {
    this.#nextLook = context.clock.now() + Math.min(longestLookMs, this.#parts.leaseMs / 4)
    await this.#takeBackCancelled(context)
    await this.#findLostTasks(context)
    if (this.#missing.size > 0) this.#nextLook = Math.min(this.#nextLook, context.clock.now() + soonMs)
    await this.#findLostSources()
    if (!context.shards.isFirst) return
    for (const stream of Object.values(streams)) await this.#parts.contents.resetLag(stream)
    await this.#forgetReceivers(context.clock.now())
  }

  async #forgetReceivers(now: number): Promise<void> {
    if (now < this.#nextForgetting) return
    this.#nextForgetting = now + forget.everyMs
    // Failures are ignored, because Redis rejects the call for a stream that was never used.
    await Promise.allSettled(
      Object.values(streams).map(stream => this.#parts.contents.forgetReceivers(stream, forget.afterMs)),
    )
  }

  /** Removes messages of cancelled jobs from the streams. If no worker reads a stream, its messages would wait forever. */
  async #takeBackCancelled(context: WorkersContext): Promise<void> {
    const isOver = ({ jobId }: TimedTask) => context.jobs.get(jobId)?.cancelled === true
    const waits = context.inFlight
      .values()
      .some(({ task }) => context.jobs.get(task.jobId)?.cancelled === true)
    if (!waits) return
    const failure = new Failure('worker.stopping', 'the job was cancelled before a worker started this task')
    const taken = await this.#takeBack(context, body => body.tasks.every(isOver))
    const unsent = this.#unanswered(context).filter(isOver)
    context.deliver(
      [...taken.flat(), ...unsent].map(task => failedReport(task, failure, context.clock.now())),
    )
  }

  /** Tasks that were not sent yet, because they wait for a robots.txt, which only a worker can fetch. Empty if a worker
   *  runs. */
  #unanswered(context: WorkersContext): TimedTask[] {
    if (this.#workers.length > 0) return []
    return [...context.inFlight.values()].flatMap(({ task, sentAt }) =>
      sentAt === undefined ? [{ ...task, startAt: 0, gapMs: 0 }] : [],
    )
  }

  /** Removes messages that no worker has received, if `isMeant` accepts them. Returns their tasks. */
  async #takeBack(context: WorkersContext, isMeant: (body: TaskBatch) => boolean): Promise<TimedTask[][]> {
    const taken: TimedTask[][] = []
    for (const stream of [streams.http, streams.browser]) {
      const entries = await this.#parts.contents.entries<TaskBatch>(stream)
      const untouched = entries.filter(
        ({ isTaken, body }) => !isTaken && body.owner === context.settings.owner && isMeant(body),
      )
      await this.#parts.contents.drop(
        stream,
        untouched.map(({ id }) => id),
      )
      taken.push(untouched.flatMap(({ body }) => body.tasks))
    }
    return taken
  }

  get #freshMs(): number {
    return Math.max(freshMs.least, Math.min(freshMs.most, this.#parts.leaseMs / 4))
  }

  /** Finds lost tasks: a task in flight that is in no stream. Either Redis lost its data, or a process died between two steps. */
  async #findLostTasks(context: WorkersContext): Promise<void> {
    const before = context.clock.now() - this.#freshMs
    const sent = [...context.inFlight.values()].filter(
      ({ sentAt }) => sentAt !== undefined && sentAt < before,
    )
    if (sent.length === 0) return
    const there = await this.#inStreams()
    const missing = sent.filter(({ task }) => !there.has(attemptKey(task)))
    const lost = this.#missedLong(missing, context.clock.now())
    for (const [jobId, own] of Map.groupBy(lost, ({ task }) => task.jobId))
      await this.#resolveAll(context, jobId, own)
  }

  /** Tasks that are missing for so long that no worker can be running them. If they were requeued earlier, two workers
   *  might send the same request. */
  #missedLong(missing: InFlightTask[], now: number): InFlightTask[] {
    const patienceMs = heartbeatEveryMs(this.#parts.leaseMs) + findAgainMs
    const since = new Map(
      missing.map(({ task }) => [attemptKey(task), this.#missing.get(attemptKey(task)) ?? now]),
    )
    this.#missing = since
    for (const [key, at] of this.#inHand) if (now - at > patienceMs) this.#inHand.delete(key)
    return missing.filter(({ task }) => {
      const key = attemptKey(task)
      return !this.#inHand.has(key) && now - since.get(key)! >= patienceMs
    })
  }

  heardInHand(keys: readonly string[], now: number): void {
    for (const key of keys) this.#inHand.set(key, now)
  }

  /** All tasks in the streams. Reads the streams in the order in which tasks move, so that a moving task is not missed. */
  async #inStreams(): Promise<Set<string>> {
    const { contents } = this.#parts
    const there = new Set<string>()
    for (const stream of [streams.http, streams.browser])
      for (const { body } of await contents.entries<TaskBatch>(stream))
        for (const task of body.tasks) there.add(attemptKey(task))
    for (const { body } of await contents.entries<ProcessMessage>(streams.process))
      for (const { task } of body.entries) there.add(attemptKey(task))
    return there
  }

  /** Requeues lost tasks that are still leased in the store. The other tasks are settled, and only their message was lost. */
  async #resolveAll(context: WorkersContext, jobId: string, lost: InFlightTask[]): Promise<void> {
    const running = context.jobs.get(jobId)
    running?.suspectOrphans()
    const ours = await openAttempts(context, jobId)
    const isOurs = ({ task }: InFlightTask) => ours.has(attemptKey(task))
    const failure = new Failure('worker.stopping', 'its message was lost between two processes')
    const now = context.clock.now()
    context.deliver(
      lost.filter(isOurs).map(({ task }) => failedReport({ ...task, startAt: 0, gapMs: 0 }, failure, now)),
    )
    const settled = lost.filter(held => !isOurs(held))
    for (const held of settled) this.#forget(context, held, running)
    if (running && settled.length > 0) await findWork(context, running)
  }

  #forget(context: WorkersContext, held: InFlightTask, running: RunningJob | undefined): void {
    // The lost message may have reported a page, so count it against this shard's share of the page limit.
    if (dropInFlight(context, held)) running?.usePageShare()
  }

  async ingest(context: WorkersContext, running: RunningJob): Promise<void> {
    const waiting = Promise.withResolvers<void>()
    this.#sources.set(running.id, waiting)
    const onStop = () => waiting.resolve()
    onAbort(context.stopping, onStop)
    try {
      await this.#parts.ingestQueue.send([{ jobId: running.id }]).catch(() => {})
      await waiting.promise
      if (context.stopping.aborted) return
      const job = await context.store.jobs.get(running.id)
      running.sourceEnded(job?.ingest)
      context.deliver([])
    } finally {
      offAbort(context.stopping, onStop)
      this.#sources.delete(running.id)
    }
  }

  async #findLostSources(): Promise<void> {
    if (this.#sources.size === 0) return
    const entries = await this.#parts.contents.entries<IngestMessage>(streams.ingest)
    const there = new Set(entries.map(({ body }) => body.jobId))
    const lost = [...this.#sources.keys()].filter(jobId => !there.has(jobId))
    await this.#parts.ingestQueue.send(lost.map(jobId => ({ jobId })))
  }

  /** Handles a message of the ingest role: tasks that were added to a job, and whether the source is complete. */
  async heardOfSource(
    context: WorkersContext,
    { jobId, added, isDone, failure }: SourceUpdate,
  ): Promise<void> {
    await acceptWork(context, added)
    if (!isDone) return
    if (failure) this.#sources.get(jobId)?.reject(Failure.from(failure))
    else this.#sources.get(jobId)?.resolve()
  }

  async handBack(context: WorkersContext): Promise<void> {
    const { owner } = context.settings
    const unsent = [...context.inFlight.values()].filter(({ sentAt }) => sentAt === undefined)
    await context.store.tasks.release(
      owner,
      unsent.map(({ task }) => task),
    )
    // Take back the sent tasks last, because this fails if Redis is down.
    const isOurs = ({ tasks }: TaskBatch) => tasks.every(({ host }) => context.shards.leads(host))
    for (const tasks of await this.#takeBack(context, isOurs)) await context.store.tasks.release(owner, tasks)
  }
}

/** Attempts of a job that are leased in the store. */
async function openAttempts(context: WorkersContext, jobId: string): Promise<Set<string>> {
  const open = new Set<string>()
  const leased = { states: [...leasedStates], limit: askedAtOnce }
  for await (const tasks of taskPages(context.store.tasks, jobId, leased))
    for (const task of tasks) open.add(attemptKey(task))
  return open
}
