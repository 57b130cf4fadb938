// The loop of a lane in this process. It receives batches, runs their tasks, and acknowledges a batch when all its tasks are reported.
import { Failure } from '../../model/failures.ts'
import type { TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import type { Queue } from '../../ports/queue.ts'
import { taskKey } from '../coordinate/in-flight.ts'
import { failedReport } from './task-report.ts'

const waitMs = 60_000

export interface Runner {
  run(batch: TaskBatch): void
}

const crashed = ({ message }: Error): Failure =>
  new Failure('worker.crashed', `the worker ended while it had this task and others: ${message}`)

const tooCostly = ({ url }: TimedTask, { message }: Error): Failure =>
  new Failure(
    'page.too-costly',
    `two workers ended while they ran ${url}, the second one without other tasks: ${message}`,
  )

export class WorkLoop {
  readonly #queue: Queue<TaskBatch>
  readonly #runner: Runner
  /** Tasks that were running when a lane died. One of these tasks may have killed the lane, so each runs alone from
   *  then on. All loops share this set. */
  readonly #suspects: Set<string>
  #batchOf = new Map<string, string>()
  #left = new Map<string, number>()
  #running = new Map<string, TimedTask>()
  /** A suspect task that waits until the lane is empty, and the tasks after it. */
  #waiting: TimedTask[] = []
  #alone: string | null = null

  constructor(queue: Queue<TaskBatch>, runner: Runner, suspects = new Set<string>()) {
    this.#queue = queue
    this.#runner = runner
    this.#suspects = suspects
  }

  /** How many tasks the lane has received and not reported. */
  get size(): number {
    return this.#batchOf.size
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const { id, body } of await this.#queue.receive(8, waitMs, signal)) {
        this.#left.set(id, body.tasks.length)
        for (const task of body.tasks) this.#batchOf.set(taskKey(task), id)
        if (this.#suspects.size === 0 && this.#waiting.length === 0) this.#start(body.tasks)
        else this.#lineUp(body.tasks)
      }
    }
  }

  /** Call this with every report of this loop's lane. */
  reported(reports: TaskReport[]): Promise<void> {
    return this.#end(reports)
  }

  async #end(tasks: ReadonlyArray<Pick<TimedTask, 'jobId' | 'n'>>): Promise<void> {
    const done = tasks.flatMap(task => this.#finished(taskKey(task)))
    if (this.#waiting.length > 0) this.#lineUp([])
    if (done.length > 0) await this.#queue.ack(done)
  }

  /** Call this when the lane has returned tasks that it did not start. */
  returned(tasks: TimedTask[]): Promise<void> {
    return this.#end(tasks)
  }

  /** Call this when the lane has died. Its tasks run again, each alone. A task fails if a second lane dies with it.
   *  `hadBegun` is false if the lane never started. Then no task killed the lane. */
  abandon(error: Error, hadBegun = true): TaskReport[] {
    const lost = [...this.#running].map(([key, task]) => ({
      key,
      task,
      isSecond: hadBegun && this.#suspects.has(key),
    }))
    const reports = lost.map(({ task, isSecond }) =>
      failedReport(task, isSecond ? tooCostly(task, error) : crashed(error), Date.now()),
    )
    void this.reported(reports)
    for (const { key, isSecond } of lost) if (hadBegun && !isSecond) this.#suspects.add(key)
    return reports
  }

  #start(tasks: TimedTask[]): void {
    for (const task of tasks) this.#running.set(taskKey(task), task)
    this.#runner.run({ tasks })
  }

  /** Starts tasks in order. A task in `#suspects` waits until the lane is empty, and all later tasks wait for it. */
  #lineUp(tasks: TimedTask[]): void {
    this.#waiting.push(...tasks)
    while (this.#waiting.length > 0 && this.#alone === null) {
      const at = this.#waiting.findIndex(task => this.#suspects.has(taskKey(task)))
      if (at !== 0) this.#start(this.#waiting.splice(0, at === -1 ? this.#waiting.length : at))
      else if (this.#running.size === 0) this.#startAlone()
      else return
    }
  }

  #startAlone(): void {
    const suspect = this.#waiting.shift()!
    this.#alone = taskKey(suspect)
    this.#start([suspect])
  }

  #finished(key: string): string[] {
    this.#running.delete(key)
    this.#suspects.delete(key)
    if (this.#alone === key) this.#alone = null
    const batch = this.#batchOf.get(key)
    if (batch === undefined) return []
    this.#batchOf.delete(key)
    const left = this.#left.get(batch)! - 1
    this.#left.set(batch, left)
    if (left > 0) return []
    this.#left.delete(batch)
    return [batch]
  }
}
