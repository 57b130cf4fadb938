// The work loop: takes batches from a queue, gives them to a lane, and acknowledges each when all of it was reported.
import { Failure } from '../model/failures.ts'
import type { TaskBatch, TaskReport, TimedTask } from '../model/lane.ts'
import type { Queue } from '../ports/queue.ts'
import { heldKey } from './desk.ts'
import { failedReport } from './task-report.ts'

const waitMs = 60_000

export interface Runner {
  run(batch: TaskBatch): void
}

export class WorkLoop {
  #queue: Queue<TaskBatch>
  #runner: Runner
  #batchOf = new Map<string, string>()
  #left = new Map<string, number>()
  #running = new Map<string, TimedTask>()

  constructor(queue: Queue<TaskBatch>, runner: Runner) {
    this.#queue = queue
    this.#runner = runner
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const { id, body } of await this.#queue.receive(8, waitMs, signal)) {
        this.#left.set(id, body.tasks.length)
        for (const task of body.tasks) {
          this.#batchOf.set(heldKey(task), id)
          this.#running.set(heldKey(task), task)
        }
        this.#runner.run(body)
      }
    }
  }

  /** To be called with every report of this loop's lane. */
  async reported(reports: TaskReport[]): Promise<void> {
    const done = reports.flatMap(report => this.#finished(heldKey(report)))
    if (done.length > 0) await this.#queue.ack(done)
  }

  /** The lane is gone: what it had is reported lost, to be tried again. */
  abandon(error: Error): TaskReport[] {
    const failure = new Failure('lease.lost', `the worker ended: ${error.message}`)
    const reports = [...this.#running.values()].map(task => failedReport(task, failure, Date.now()))
    void this.reported(reports)
    return reports
  }

  #finished(key: string): string[] {
    this.#running.delete(key)
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
