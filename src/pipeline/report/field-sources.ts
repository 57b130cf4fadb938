// The sources of record fields: a summary for a job, and the details for one task.
import { isLastList } from '../../lib/listed-records.ts'
import { SourceCounts } from '../../lib/source-counts.ts'
import { Failure } from '../../model/failures.ts'
import { taskId } from '../../model/ids.ts'
import type { Provenance, StoredRecord } from '../../model/record.ts'
import type { Attempt, Task } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'

/** How many records are read by default. These are enough to see a problem. Callers can request more. */
export const shownRecords = 2_000
const pageSize = 200

/** Counts the sources of each field in the first records of a job, in commit order. */
export async function sourcesOf(
  { store }: { store: Store },
  jobId: string,
  limit = shownRecords,
): Promise<SourceCounts> {
  const counts = new SourceCounts()
  for (let after = 0; counts.records < limit; ) {
    const records = await store.records.list(jobId, {
      after,
      limit: Math.min(pageSize, limit - counts.records),
    })
    for (const { provenance } of records) counts.add(sourcesIn(provenance))
    if (isLastList(records, pageSize)) break
    after = records.at(-1)!.seq
  }
  return counts
}

export const sourcesIn = (provenance: string | null): Provenance =>
  JSON.parse(provenance ?? '{}') as Provenance

export interface TaskReading {
  task: Task
  attempts: Attempt[]
  records: StoredRecord[]
}

/** Finds a task. `name` is its number or its id. */
export async function taskNamed(
  { store }: { store: Store },
  jobId: string,
  name: string,
): Promise<TaskReading> {
  const number = name.startsWith(`${jobId}.`) ? name.slice(jobId.length + 1) : name
  const task = /^\d{1,15}$/.test(number) ? await store.tasks.get(jobId, Number(number)) : null
  if (!task)
    throw new Failure(
      'input.invalid',
      `job ${jobId} has no task "${name}": name one by its number, like 1 or ${taskId(jobId, 1)}; \`kscrape jobs show ${jobId} --tasks\` lists them`,
      { jobId, task: name },
    )
  const attempts = await store.tasks.attempts(jobId, task.n)
  return { task, attempts, records: await store.records.ofTask(jobId, task.n) }
}
