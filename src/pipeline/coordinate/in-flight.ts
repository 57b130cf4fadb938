// Tasks in flight: leased by this coordinator and not yet settled. They run in a lane, or wait for robots.txt.
import type { HostTable } from '../../dispatch/host-table.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { Clock } from '../../ports/clock.ts'

export interface InFlightTask {
  task: LeasedTask
  /** Whether the host table counts a request of this task as in flight. If so, the request must be reported to the host table
   *  when it ends. */
  slot: boolean
  /** When the task was sent to a lane; unset while it waits for robots.txt. */
  sentAt?: number
}

interface TaskName {
  jobId: string
  n: number
}

export const taskKey = ({ jobId, n }: TaskName): string => `${jobId}.${n}`

export class InFlightTasks {
  readonly #tasks = new Map<string, InFlightTask>()
  readonly #ofJob = new Map<string, number>()

  get size(): number {
    return this.#tasks.size
  }

  countOf(jobId: string): number {
    return this.#ofJob.get(jobId) ?? 0
  }

  get(task: TaskName): InFlightTask | undefined {
    return this.#tasks.get(taskKey(task))
  }

  values(): MapIterator<InFlightTask> {
    return this.#tasks.values()
  }

  add(entry: InFlightTask): void {
    const { jobId } = entry.task
    if (!this.get(entry.task)) this.#ofJob.set(jobId, this.countOf(jobId) + 1)
    this.#tasks.set(taskKey(entry.task), entry)
  }

  /** Returns false if the entry was removed or replaced before. */
  remove(entry: InFlightTask): boolean {
    const { jobId } = entry.task
    if (this.get(entry.task) !== entry) return false
    this.#tasks.delete(taskKey(entry.task))
    const left = this.countOf(jobId) - 1
    if (left > 0) this.#ofJob.set(jobId, left)
    else this.#ofJob.delete(jobId)
    return true
  }
}

/** Dependencies for dropping a task in flight. */
interface DropContext {
  inFlight: InFlightTasks
  hosts: HostTable
  clock: Clock
}

/** Removes a task that no lane has any more; its host then counts one request less in flight. Returns false if the task was not
 *  in flight. */
export function dropInFlight({ inFlight, hosts, clock }: DropContext, entry: InFlightTask): boolean {
  const now = clock.now()
  const result = { startedAt: entry.sentAt ?? now, endedAt: now, isUnknown: true } as const
  if (entry.slot) hosts.finished(entry.task.host, result, now)
  entry.slot = false
  return inFlight.remove(entry)
}
