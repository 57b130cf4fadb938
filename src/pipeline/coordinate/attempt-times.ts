// The way of each attempt through time: since when it waited, when it began, had its answer, was read and written down.
import type { Job } from '../../model/job.ts'
import type { Attempt, Task } from '../../model/task.ts'
import type { TaskStore } from '../../ports/store.ts'

export interface AttemptTimes {
  /** Since when the task waited for it: known to its job, or back from the attempt before. */
  queuedAt: number
  startedAt: number
  endedAt: number
  /** When the answer had been read; null where nothing was, or nobody measured. */
  readAt: number | null
  /** When its outcome was written down. */
  storedAt: number | null
}

/** A task comes with its job, or is entered with what its parent gave; neither has to be written down again. */
export async function knownSince(
  tasks: Pick<TaskStore, 'attempts'>,
  { createdAt }: Job,
  { jobId, parent }: Task,
): Promise<number> {
  const found = parent === null ? undefined : (await tasks.attempts(jobId, parent)).at(-1)
  return found ? writtenAt(found) : createdAt
}

/** Of attempts in their order. */
export function timesOf(attempts: readonly Attempt[], knownSinceMs: number): AttemptTimes[] {
  return attempts.map((attempt, index) => {
    const { startedAt, endedAt, readMs, storeMs } = attempt
    const before = attempts[index - 1]
    return {
      queuedAt: Math.min(startedAt, before ? writtenAt(before) : knownSinceMs),
      ...{ startedAt, endedAt },
      readAt: readMs === null ? null : endedAt + readMs,
      storedAt: storeMs === null ? null : writtenAt(attempt),
    }
  })
}

const writtenAt = ({ endedAt, readMs, storeMs }: Attempt): number => endedAt + (readMs ?? 0) + (storeMs ?? 0)
