// The loop of a worker. It receives messages while it has capacity, extends their leases with heartbeats, and acknowledges each
// message when all its tasks are reported.
import { asFailure, Failure } from '../../model/failures.ts'
import type { TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'
import { Room, receiveMessages } from './receive-messages.ts'
import { lossesOf } from './redelivery.ts'
import { failedReport } from './task-report.ts'

export interface FetchLoopParts {
  queue: Queue<TaskBatch>
  clock: Clock
  /** Runs tasks. Each task is reported through `reported`. */
  run: (tasks: TimedTask[]) => void
  /** Sends reports to the next process. When the promise resolves, that process is responsible for the reports. */
  handOn: (owner: string, reported: Array<{ task: TimedTask; report: TaskReport }>) => Promise<void>
  /** No more messages are received while this many tasks are in flight. */
  mostHeld: number
  leaseMs: number
  /** Returns tasks that this worker has not started when it stops. */
  giveBack?: (owner: string, tasks: TimedTask[]) => Promise<void>
  /** Called at every heartbeat with the attempts in flight. So coordinators know that these attempts run, even if the
   *  queue lost their messages. */
  reportInFlight?: (attemptKeys: string[]) => void
}

interface HeldMessage {
  id: string
  owner: string
  left: Map<string, TimedTask>
  /** When the lease was last extended. */
  signedAt: number
  /** True if a heartbeat was late. Then another worker may have the message, even if a later heartbeat succeeds. */
  isDoubted: boolean
}

/** How often a worker renews the leases of its messages. */
export const heartbeatEveryMs = (leaseMs: number): number => Math.min(leaseMs / 4, 5_000)

const restMs = 500

export class FetchLoop {
  readonly #parts: FetchLoopParts
  readonly #messages = new Map<string, HeldMessage>()
  readonly #messageOf = new Map<string, HeldMessage>()
  readonly #room = new Room()
  readonly #handing = new Set<Promise<void>>()
  readonly #hurried = new AbortController()

  constructor(parts: FetchLoopParts) {
    this.#parts = parts
  }

  get held(): number {
    return this.#messageOf.size
  }

  /** Receives messages until the signal aborts. Tasks in flight may finish. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, clock, mostHeld, leaseMs } = this.#parts
    const beat = setInterval(() => void this.#sendHeartbeats(), heartbeatEveryMs(leaseMs))
    signal.addEventListener('abort', () => this.#room.announce(), { once: true })
    try {
      const from = { queue, clock, signal }
      await receiveMessages(from, {
        capacity: () => (this.held < mostHeld ? 1 : 0),
        untilCapacity: () => this.#room.wait(),
        take: async deliveries => {
          for (const delivery of deliveries) await this.#take(delivery, signal)
        },
      })
      await this.#giveBackLate().catch(() => {})
      await this.#untilEmpty()
    } finally {
      clearInterval(beat)
    }
  }

  /** Call this at the end of the grace period. Reports that cannot be sent now are dropped, and the coordinator requeues their
   *  tasks as lost. */
  hurry(): void {
    this.#hurried.abort()
  }

  async #giveBackLate(): Promise<void> {
    const { queue, giveBack } = this.#parts
    for (const { id, body } of (await queue.late?.()) ?? []) {
      await giveBack?.(body.owner ?? '', body.tasks)
      await queue.ack([id])
    }
  }

  /** Starts the tasks of a message. If an earlier worker died with the message, its tasks start only when no other task is in
   *  flight in this worker. */
  async #take(delivery: Delivery<TaskBatch>, signal: AbortSignal): Promise<void> {
    const { id, body, isAgain } = delivery
    const { queue, clock } = this.#parts
    // Skip attempts that are in flight in this worker, because an attempt may be sent twice.
    const tasks = body.tasks.filter(task => !this.#messageOf.has(attemptKey(task)))
    if (tasks.length === 0) return queue.ack([id])
    const losses = await lossesOf(queue, delivery, tasks, (part, lost) => ({ ...body, tasks: part, lost }))
    if (!losses) return
    const left = new Map(tasks.map(task => [attemptKey(task), task]))
    const message = { id, owner: body.owner ?? '', left, signedAt: clock.now(), isDoubted: false }
    // Start heartbeats before the wait. Without them, the lease would expire and this worker would count as dead.
    this.#messages.set(id, message)
    while (losses.isSuspect && this.held > 0 && !signal.aborted) await this.#room.wait()
    for (const task of tasks) this.#messageOf.set(attemptKey(task), message)
    if (losses.isPoison) return this.#giveUp(tasks, losses.count)
    this.#parts.run(losses.isSuspect || isAgain ? tasks.map(inNewSlot) : tasks)
    while (losses.isSuspect && this.#messages.has(id) && !signal.aborted) await this.#room.wait()
  }

  #giveUp(tasks: TimedTask[], times: number): void {
    const failure = new Failure('task.poison', `${times} workers died while they ran this task`)
    this.reported(tasks.map(task => failedReport(task, failure, this.#parts.clock.now())))
  }

  /** Call this with every report of a task. */
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

  /** Retries while the receiver is down. If the reports were dropped, the pages would be fetched again. */
  async #handOn(owner: string, reported: Array<{ task: TimedTask; report: TaskReport }>): Promise<void> {
    const until = this.#parts.clock.now() + longestHandOnMs
    for (;;) {
      try {
        await this.#parts.handOn(owner, reported)
        break
      } catch (error) {
        if (this.#parts.clock.now() >= until || this.#hurried.signal.aborted) {
          process.emitWarning(`${reported.length} reports could not be sent: ${asFailure(error).message}`)
          break
        }
        await this.#parts.clock.sleep(restMs, this.#hurried.signal).catch(() => {})
      }
    }
    await this.#done(reported.map(({ task }) => attemptKey(task)))
  }

  /** Acknowledges messages whose tasks are all reported. Acknowledging a message that Redis has lost does no harm. */
  async #done(keys: string[]): Promise<void> {
    const finished: string[] = []
    for (const key of keys) {
      const message = this.#messageOf.get(key)
      this.#messageOf.delete(key)
      message?.left.delete(key)
      if (message?.left.size === 0 && this.#messages.delete(message.id)) finished.push(message.id)
    }
    if (finished.length > 0) await this.#parts.queue.ack(finished).catch(() => {})
    this.#room.announce()
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

  /** Whether this worker still has the lease of a task. A process that was suspended may have lost it. */
  mayBegin(task: TimedTask): boolean {
    const message = this.#messageOf.get(attemptKey(task))
    return message !== undefined && this.#isOurs(message)
  }

  #isOurs(message: HeldMessage): boolean {
    message.isDoubted ||= this.#parts.clock.now() - message.signedAt > this.#parts.leaseMs
    return !message.isDoubted
  }

  async #untilEmpty(): Promise<void> {
    while (this.held > 0) await this.#room.wait()
    await Promise.allSettled(this.#handing)
  }
}

/** Makes a task request a new slot. Another worker may have sent its request already, in the old slot. */
const inNewSlot = (task: TimedTask): TimedTask => (task.gapMs > 0 ? { ...task, isAgain: true } : task)

/** How long sending reports is retried. After this time the coordinator requeues the tasks as lost. */
const longestHandOnMs = 60_000

/** The key of one attempt. A later attempt of a task may arrive while an earlier attempt is in flight in the same worker. */
export const attemptKey = ({ jobId, n, attempt }: { jobId: string; n: number; attempt: number }): string =>
  `${jobId}.${n}.${attempt}`
