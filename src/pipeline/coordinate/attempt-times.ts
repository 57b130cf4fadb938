// The times of each attempt: queued, started, response complete, parsed, committed.
import type { Job } from '../../model/job.ts'
import type { Attempt, Task } from '../../model/task.ts'
import type { TaskStore } from '../../ports/store.ts'

export interface AttemptTimes {
  /** When the task was created, or when its previous attempt was committed. */
  queuedAt: number
  startedAt: number
  endedAt: number
  /** When the page was parsed; null if it was not parsed, or if the time was not measured. */
  readAt: number | null
  /** When the outcome of the attempt was committed; null if the time was not measured. */
  storedAt: number | null
}

/** When the task was created. This time is not stored. It is the time of the job's creation, or of the commit of the
 *  parent's last attempt. */
export async function knownSince(
  tasks: Pick<TaskStore, 'attempts'>,
  { createdAt }: Job,
  { jobId, parent }: Task,
): Promise<number> {
  const found = parent === null ? undefined : (await tasks.attempts(jobId, parent)).at(-1)
  return found ? writtenAt(found) : createdAt
}

/** The times of each attempt of a task. `attempts` must be in order. */
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
