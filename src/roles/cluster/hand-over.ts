// Handing over between processes, as the coordinator sees it: who is there, what was lost on the way, whose source is being read.
import { isIn } from '../../lib/shard-of.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { type IngestMessage, type ProcessMessage, type SourceUpdate, streams } from '../../model/hand-over.ts'
import type { TaskBatch, TimedTask } from '../../model/lane.ts'
import type { Desk, HandOver, HeldTask } from '../../pipeline/coordinate/desk.ts'
import { letGo } from '../../pipeline/coordinate/free-place.ts'
import { acceptWork } from '../../pipeline/coordinate/learn-outcomes.ts'
import type { RunningJob } from '../../pipeline/coordinate/running-job.ts'
import { parkedHost } from '../../pipeline/coordinate/settle.ts'
import { isFirst } from '../../pipeline/coordinate/shards.ts'
import { attemptKey, heartbeatEveryMs } from '../../pipeline/work/fetch-loop.ts'
import { failedReport } from '../../pipeline/work/task-report.ts'
import type { Queue } from '../../ports/queue.ts'
import type { StreamContents, WorkerSign } from '../../ports/stream-contents.ts'
import { fetches } from './presence.ts'

export interface HandOverParts {
  contents: StreamContents
  ingestQueue: Queue<IngestMessage>
  /** Requests in flight where no worker has said how many it can do. */
  leastConcurrency: number
  leaseMs: number
}

/** A task that was handed over this recently may be on its way between two streams; most are done by then, and nobody has to look. */
const freshMs = { least: 2_000, most: 15_000 }
/** A worker that lost Redis finds it again within this, and says what it has. */
const findAgainMs = 2_500
const longestLookMs = 5_000
/** Where something is missing it is looked for again soon. */
const soonMs = 1_000
const askedAtOnce = 1_000
/** Who received from a stream and died is forgotten: after so long, looked for so often. */
const forget = { afterMs: 600_000, everyMs: 60_000 }

export class StreamHandOver implements HandOver {
  readonly #parts: HandOverParts
  readonly #sources = new Map<string, PromiseWithResolvers<void>>()
  #workers: WorkerSign[] = []
  #nextLook = 0
  #nextForgetting = 0
  /** Since when tasks are in no stream. */
  #missing = new Map<string, number>()
  /** When a worker said last that it has them. */
  readonly #inHand = new Map<string, number>()
  isReachable = true

  constructor(parts: HandOverParts) {
    this.#parts = parts
  }

  get workers(): readonly WorkerSign[] {
    return this.#workers
  }

  get workerCount(): number {
    return Math.max(1, this.#workers.length)
  }

  async sweep(desk: Desk): Promise<void> {
    try {
      await this.#countWorkers(desk)
      if (desk.clock.now() >= this.#nextLook) await this.#look(desk)
      this.isReachable = true
    } catch (error) {
      const { code, message } = asFailure(error)
      if (code !== 'queue.unavailable') throw error
      if (this.isReachable) desk.emit('notice.given', { jobId: null, message })
      this.isReachable = false
    }
  }

  /** As much is handed over as they can do, and some more. */
  async #countWorkers(desk: Desk): Promise<void> {
    this.#workers = (await this.#parts.contents.workers()).filter(fetches)
    const sum = this.#workers.reduce((total, { concurrency }) => total + concurrency, 0)
    const own = Math.ceil(sum / (desk.shard?.count ?? 1))
    desk.settings.concurrency = Math.max(this.#parts.leastConcurrency, own)
  }

  async #look(desk: Desk): Promise<void> {
    this.#nextLook = desk.clock.now() + Math.min(longestLookMs, this.#parts.leaseMs / 4)
    await this.#takeBackCancelled(desk)
    await this.#findLostTasks(desk)
    if (this.#missing.size > 0) this.#nextLook = Math.min(this.#nextLook, desk.clock.now() + soonMs)
    await this.#findLostSources()
    if (!isFirst(desk.shard)) return
    for (const stream of Object.values(streams)) await this.#parts.contents.resetLag(stream)
    await this.#forgetReceivers(desk.clock.now())
  }

  async #forgetReceivers(now: number): Promise<void> {
    if (now < this.#nextForgetting) return
    this.#nextForgetting = now + forget.everyMs
    // A stream that nobody has used yet is none, and Redis says so.
    await Promise.allSettled(
      Object.values(streams).map(stream => this.#parts.contents.forgetReceivers(stream, forget.afterMs)),
    )
  }

  /** What nobody has begun of a job that is being cancelled: where no worker of its kind is up, it would wait for ever. */
  async #takeBackCancelled(desk: Desk): Promise<void> {
    const isOver = ({ jobId }: TimedTask) => desk.jobs.get(jobId)?.cancelled === true
    const waits = desk.held.values().some(({ task }) => desk.jobs.get(task.jobId)?.cancelled === true)
    if (!waits) return
    const failure = new Failure('worker.stopping', 'its job was cancelled before anybody began with it')
    const taken = await this.#takeBack(desk, body => body.tasks.every(isOver))
    const unsent = this.#unanswered(desk).filter(isOver)
    desk.deliver([...taken.flat(), ...unsent].map(task => failedReport(task, failure, desk.clock.now())))
  }

  /** Those that wait for a robots.txt while nobody is there to ask for it. */
  #unanswered(desk: Desk): TimedTask[] {
    if (this.#workers.length > 0) return []
    return [...desk.held.values()].flatMap(({ task, sentAt }) =>
      sentAt === undefined ? [{ ...task, startAt: 0, gapMs: 0 }] : [],
    )
  }

  /** Takes messages out of the streams that no worker has taken yet. */
  async #takeBack(desk: Desk, isMeant: (body: TaskBatch) => boolean): Promise<TimedTask[][]> {
    const taken: TimedTask[][] = []
    for (const stream of [streams.http, streams.browser]) {
      const entries = await this.#parts.contents.entries<TaskBatch>(stream)
      const untouched = entries.filter(
        ({ isTaken, body }) => !isTaken && body.owner === desk.settings.owner && isMeant(body),
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

  /** What is in no stream is nobody's: Redis was emptied, or a process ended between two steps. */
  async #findLostTasks(desk: Desk): Promise<void> {
    const before = desk.clock.now() - this.#freshMs
    const sent = [...desk.held.values()].filter(({ sentAt }) => sentAt !== undefined && sentAt < before)
    if (sent.length === 0) return
    const there = await this.#inStreams()
    const missing = sent.filter(({ task }) => !there.has(attemptKey(task)))
    const lost = this.#missedLong(missing, desk.clock.now())
    for (const [jobId, own] of Map.groupBy(lost, ({ task }) => task.jobId))
      await this.#resolveAll(desk, jobId, own)
  }

  /** A worker may have it though Redis forgot: its host would be asked by two. */
  #missedLong(missing: HeldTask[], now: number): HeldTask[] {
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

  /** In the order in which work moves, so that none is missed while it does. */
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

  /** Put back where the store still has them as ours; the others were settled, and the news got lost. */
  async #resolveAll(desk: Desk, jobId: string, lost: HeldTask[]): Promise<void> {
    const running = desk.jobs.get(jobId)
    if (running) running.mayHaveOrphans = true
    const ours = await openAttempts(desk, jobId)
    const isOurs = ({ task }: HeldTask) => ours.has(attemptKey(task))
    const failure = new Failure('worker.stopping', 'it was lost on its way between two processes')
    const now = desk.clock.now()
    desk.deliver(
      lost.filter(isOurs).map(({ task }) => failedReport({ ...task, startAt: 0, gapMs: 0 }, failure, now)),
    )
    const settled = lost.filter(held => !isOurs(held))
    for (const held of settled) this.#forget(desk, held, running)
    if (running && settled.length > 0) await recount(desk, running)
  }

  #forget(desk: Desk, held: HeldTask, running: RunningJob | undefined): void {
    // It may have been a page; the next share is set by what the store has counted.
    if (letGo(desk, held) && running && running.share !== null) running.share--
  }

  async ingest(desk: Desk, running: RunningJob): Promise<void> {
    const waiting = Promise.withResolvers<void>()
    this.#sources.set(running.id, waiting)
    const onStop = () => waiting.resolve()
    desk.stopping.addEventListener('abort', onStop)
    try {
      await this.#parts.ingestQueue.send([{ jobId: running.id }]).catch(() => {})
      await waiting.promise
      if (desk.stopping.aborted) return
      const job = await desk.store.jobs.get(running.id)
      if (job) running.job.ingest = job.ingest
      running.ingesting = false
      desk.deliver([])
    } finally {
      desk.stopping.removeEventListener('abort', onStop)
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

  /** What a source brought, and whether that was all. */
  async heardOfSource(desk: Desk, { jobId, added, isDone, failure }: SourceUpdate): Promise<void> {
    await acceptWork(desk, added)
    if (!isDone) return
    if (failure) this.#sources.get(jobId)?.reject(Failure.from(failure))
    else this.#sources.get(jobId)?.resolve()
  }

  async stepDown(desk: Desk): Promise<void> {
    const { owner } = desk.settings
    const unsent = [...desk.held.values()].filter(({ sentAt }) => sentAt === undefined)
    await desk.store.tasks.release(
      owner,
      unsent.map(({ task }) => task),
    )
    // Last, since Redis may be away.
    const isOurs = ({ tasks }: TaskBatch) => tasks.every(({ host }) => isIn(desk.shard, host))
    for (const tasks of await this.#takeBack(desk, isOurs)) await desk.store.tasks.release(owner, tasks)
  }
}

/** What the store has under way of a job: one question for many tasks. */
async function openAttempts(desk: Desk, jobId: string): Promise<Set<string>> {
  const open = new Set<string>()
  for (let after = 0; ; ) {
    const page = { states: ['queued' as const, 'in_progress' as const], after, limit: askedAtOnce }
    const tasks = await desk.store.tasks.list(jobId, page)
    for (const task of tasks) open.add(attemptKey(task))
    if (tasks.length < askedAtOnce) return open
    after = tasks.at(-1)!.n
  }
}

/** News were lost: the store is asked how far the job is, and where it has work. */
async function recount(desk: Desk, running: RunningJob): Promise<void> {
  running.recount(await desk.store.jobs.counts(running.id))
  for (const { host, count } of await desk.store.tasks.pendingHosts(running.id, desk.shard))
    if (host !== parkedHost) desk.dispatcher.addWork(running.id, host, count)
}
