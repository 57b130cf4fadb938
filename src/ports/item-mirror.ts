// ItemMirror: a table in another system that shows the state of job items. Each write replaces the whole item; the newest version wins.
import type { Job, JobCounts } from '../model/job.ts'
import type { Attempt, Task } from '../model/task.ts'

export interface MirroredItem {
  /** Grows with every change of the item. */
  version: number
  job: Job
  task: Task
  attempts: readonly Attempt[]
  /** Storage keys of the item's results, by kind. */
  storageKeys: Readonly<Record<string, string>>
}

/** The combined state of a job's items. */
export interface MirroredJob {
  version: number
  job: Job
  counts: JobCounts
}

export interface ItemMirror extends AsyncDisposable {
  /**
   * Writes each item that has a newer version than the mirror's. Rejects with `sink.unavailable` if a write failed. The
   * caller may then send all of them again.
   */
  send(items: readonly MirroredItem[], jobs: readonly MirroredJob[], signal: AbortSignal): Promise<void>
}
