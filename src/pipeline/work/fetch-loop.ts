// The loop of a worker: takes messages while there is room, gives signs of life for them, and is done with each when all of it was handed on.
import { smallerParts } from '../../lib/collections/smaller-parts.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'
import { failedReport } from './task-report.ts'

export interface FetchLoopParts {
  queue: Queue<TaskBatch>
  clock: Clock
  /** Runs tasks; each of them comes back by `reported`. */
  run: (tasks: TimedTask[]) => void
  /** Hands on what was reported; when it resolves, somebody else answers for it. */
  handOn: (owner: string, reported: Array<{ task: TimedTask; report: TaskReport }>) => Promise<void>
  /** No more is taken while so many tasks are in hand. */
  mostHeld: number
  leaseMs: number
  /** A task that so many workers died with is given up. */
  poisonAfter: number
  /** Has these done by others: we stop, and have not begun with them. */
  giveBack?: (owner: string, tasks: TimedTask[]) => Promise<void>
  /** Told with every sign of life what is in hand: the queue may have forgotten it. */
  reportInFlight?: (attemptKeys: string[]) => void
}

interface HeldMessage {
  id: string
  owner: string
  left: Map<string, TimedTask>
  /** Ours for a lease from then on. */
  signedAt: number
  /** We gave no sign in time: somebody else has it by now, whatever the queue says later. */
  isDoubted: boolean
}

/** How often a worker says what it has. */
export const heartbeatEveryMs = (leaseMs: number): number => Math.min(leaseMs / 4, 5_000)

const waitMs = 60_000
const restMs = 500

export class FetchLoop {
  readonly #parts: FetchLoopParts
  readonly #messages = new Map<string, HeldMessage>()
  readonly #messageOf = new Map<string, HeldMessage>()
  #roomCame = Promise.withResolvers<void>()
  readonly #handing = new Set<Promise<void>>()
  readonly #hurried = new AbortController()

  constructor(parts: FetchLoopParts) {
    this.#parts = parts
  }

  get held(): number {
    return this.#messageOf.size
  }

  /** Takes until the signal; what is in hand then goes on. */
  async run(signal: AbortSignal): Promise<void> {
    const beat = setInterval(() => void this.#sendHeartbeats(), heartbeatEveryMs(this.#parts.leaseMs))
    signal.addEventListener('abort', () => this.#announceRoom(), { once: true })
    try {
      while (!signal.aborted) await this.#turn(signal)
      await this.#giveBackLate().catch(() => {})
      await this.#untilEmpty()
    } finally {
      clearInterval(beat)
    }
  }

  /** The time to stop is over: what nobody takes now is left, and found by whoever misses it. */
  hurry(): void {
    this.#hurried.abort()
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.held >= this.#parts.mostHeld) return this.#room()
    try {
      for (const delivery of await this.#parts.queue.receive(1, waitMs, signal))
        await this.#take(delivery, signal)
    } catch {
      // The queue is away; what is in hand goes on meanwhile.
      await this.#parts.clock.sleep(restMs, signal).catch(() => {})
    }
  }

  async #giveBackLate(): Promise<void> {
    const { queue, giveBack } = this.#parts
    for (const { id, body } of (await queue.late?.()) ?? []) {
      await giveBack?.(body.owner ?? '', body.tasks)
      await queue.ack([id])
    }
  }

  /** Somebody died with a message that comes again: one of its tasks may be why, so its parts run alone. */
  async #take({ id, body, delivery, isAgain }: Delivery<TaskBatch>, signal: AbortSignal): Promise<void> {
    const { owner = '', lost = 0 } = body
    // Sent twice, and one of them is under way here.
    const tasks = body.tasks.filter(task => !this.#messageOf.has(attemptKey(task)))
    if (tasks.length === 0) return this.#parts.queue.ack([id])
    if (tasks.length > 1 && delivery > 1) return this.#split(id, { ...body, tasks }, delivery)
    const left = new Map(tasks.map(task => [attemptKey(task), task]))
    const message = { id, owner, left, signedAt: this.#parts.clock.now(), isDoubted: false }
    const isSuspect = lost + delivery > 1
    // Before it waits for its turn: without signs of life it would go from worker to worker, each counted as one that died with it.
    this.#messages.set(id, message)
    while (isSuspect && this.held > 0 && !signal.aborted) await this.#room()
    for (const task of tasks) this.#messageOf.set(attemptKey(task), message)
    if (lost + delivery > this.#parts.poisonAfter) return this.#giveUp(tasks, lost + delivery - 1)
    this.#parts.run(isSuspect || isAgain ? tasks.map(inNewTurn) : tasks)
    while (isSuspect && this.#messages.has(id) && !signal.aborted) await this.#room()
  }

  async #split(id: string, { tasks, ...rest }: TaskBatch, delivery: number): Promise<void> {
    const lost = (rest.lost ?? 0) + delivery - 1
    await this.#parts.queue.send(smallerParts(tasks, lost).map(part => ({ ...rest, tasks: part, lost })))
    await this.#parts.queue.ack([id])
  }

  #giveUp(tasks: TimedTask[], times: number): void {
    const failure = new Failure('task.poison', `${times} workers ended while they had it`)
    this.reported(tasks.map(task => failedReport(task, failure, this.#parts.clock.now())))
  }

  /** To be called with every report. */
  reported(reports: TaskReport[]): void {
    const known = reports.flatMap(report => {
      const message = this.#messageOf.get(attemptKey(report))
      const task = message?.left.get(attemptKey(report))
      return message && task?.attempt === report.attempt ? [{ message, task, report }] : []
    })
    for (const [owner, own] of Map.groupBy(known, ({ message }) => message.owner)) {
      const handing = this.#handOn(
        owner,
        own.map(({ task, report }) => ({ task, report })),
      ).finally(() => this.#handing.delete(handing))
      this.#handing.add(handing)
    }
  }

  /** Until it is taken: whoever takes it is away for a while, or it would be fetched again. */
  async #handOn(owner: string, reported: Array<{ task: TimedTask; report: TaskReport }>): Promise<void> {
    const until = this.#parts.clock.now() + longestHandOnMs
    for (;;) {
      try {
        await this.#parts.handOn(owner, reported)
        break
      } catch (error) {
        if (this.#parts.clock.now() >= until || this.#hurried.signal.aborted) {
          process.emitWarning(`${reported.length} pages could not be handed on: ${asFailure(error).message}`)
          break
        }
        await this.#parts.clock.sleep(restMs, this.#hurried.signal).catch(() => {})
      }
    }
    await this.#done(reported.map(({ task }) => attemptKey(task)))
  }

  /** Acknowledged when all of it was handed on. A message that Redis has forgotten by now harms nobody. */
  async #done(keys: string[]): Promise<void> {
    const finished: string[] = []
    for (const key of keys) {
      const message = this.#messageOf.get(key)
      this.#messageOf.delete(key)
      message?.left.delete(key)
      if (message?.left.size === 0 && this.#messages.delete(message.id)) finished.push(message.id)
    }
    if (finished.length > 0) await this.#parts.queue.ack(finished).catch(() => {})
    this.#announceRoom()
  }

  async #sendHeartbeats(): Promise<void> {
    const sure = [...this.#messages.values()].filter(message => this.#isOurs(message))
    const at = this.#parts.clock.now()
    if (sure.length > 0) this.#parts.reportInFlight?.(sure.flatMap(({ left }) => [...left.keys()]))
    const ids = sure.map(({ id }) => id)
    const isHeard = await this.#parts.queue.extend(ids).then(
      () => true,
      () => false,
    )
    if (isHeard) for (const message of sure) message.signedAt = at
  }

  /** Whether a task that is in hand may still be begun: a process that stood still must not go on as if it had not. */
  mayBegin(task: TimedTask): boolean {
    const message = this.#messageOf.get(attemptKey(task))
    return message !== undefined && this.#isOurs(message)
  }

  #isOurs(message: HeldMessage): boolean {
    message.isDoubted ||= this.#parts.clock.now() - message.signedAt > this.#parts.leaseMs
    return !message.isDoubted
  }

  #announceRoom(): void {
    this.#roomCame.resolve()
    this.#roomCame = Promise.withResolvers()
  }

  #room(): Promise<void> {
    return this.#roomCame.promise
  }

  async #untilEmpty(): Promise<void> {
    while (this.held > 0) await this.#room()
    await Promise.allSettled(this.#handing)
  }
}

/** Its host is asked for it by another worker, or was by one that ended: now it is one request more than was planned. */
const inNewTurn = (task: TimedTask): TimedTask => (task.gapMs > 0 ? { ...task, isAgain: true } : task)

/** Then the coordinator misses it and has it done again. */
const longestHandOnMs = 60_000

/** A later attempt at a task may come while an earlier one, given up by everyone else, is still in hand. */
export const attemptKey = ({ jobId, n, attempt }: { jobId: string; n: number; attempt: number }): string =>
  `${jobId}.${n}.${attempt}`
