// ItemMirror: a table of another system that shows how job items stand. Items are written whole, newest version wins.
import type { Job, JobCounts } from '../model/job.ts'
import type { Attempt, Task } from '../model/task.ts'

export interface MirroredItem {
  /** Grows with every change of the item. */
  version: number
  job: Job
  task: Task
  attempts: readonly Attempt[]
  /** Where the results of the item are, by what they are. */
  storageKeys: Readonly<Record<string, string>>
}

/** How the items of a job stand together. */
export interface MirroredJob {
  version: number
  job: Job
  counts: JobCounts
}

export interface ItemMirror extends AsyncDisposable {
  /** Writes those that are newer than what is there. Rejects with `sink.unavailable` when some could not be written: all may be sent again. */
  send(items: readonly MirroredItem[], jobs: readonly MirroredJob[], signal: AbortSignal): Promise<void>
}
