// References to the stored raw pages of a job, in task order.
import type { BlobRef } from '../model/page/page.ts'
import type { Task, TaskState } from '../model/task.ts'
import type { TaskStore } from '../ports/store.ts'

const batchTasks = 500

interface RawRef {
  task: Task
  ref: BlobRef
}

/** For each task, the page of its last attempt that stored one. Yields batches. */
export async function* rawRefs(
  tasks: TaskStore,
  jobId: string,
  states: TaskState[],
): AsyncGenerator<RawRef[]> {
  for (let after = 0; ; ) {
    const batch = await tasks.list(jobId, { states, after, limit: batchTasks })
    if (batch.length === 0) return
    const refs = await Promise.all(batch.map(task => rawOf(tasks, task)))
    yield refs.filter(ref => ref !== null)
    after = batch.at(-1)!.n
  }
}

async function rawOf(tasks: TaskStore, task: Task): Promise<RawRef | null> {
  const attempts = await tasks.attempts(task.jobId, task.n)
  const ref = attempts.findLast(attempt => attempt.raw !== null)?.raw
  return ref ? { task, ref } : null
}
