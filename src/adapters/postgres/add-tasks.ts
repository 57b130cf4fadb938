// Enters new tasks into a job that is held: what it has seen is dropped, the rest gets the next numbers.
import type { Key, NewTask } from '../../model/task.ts'
import type { AddResult } from '../../ports/store.ts'
import type { Queries, Transaction } from './database.ts'
import type { JobChanges, LockedJob } from './job-changes.ts'
import { rowsTable } from './rows.ts'

const taskColumns = {
  n: 'bigint',
  host: 'text',
  kind: 'text',
  depth: 'integer',
  priority: 'float8',
  parent: 'bigint',
  url: 'text',
  input: 'text',
  item_id: 'text',
  policy: 'text',
} as const

export async function addTasks(
  queries: Transaction,
  job: LockedJob,
  tasks: readonly NewTask[],
  changes: JobChanges,
): Promise<AddResult> {
  return enterTasks(
    queries,
    job,
    { asked: tasks.length, fresh: await unseen(queries, job.jobNo, tasks) },
    changes,
  )
}

/** `fresh` are those of the tasks asked for that the job does not know. */
export function enterTasks(
  queries: Transaction,
  job: LockedJob,
  { asked, fresh }: { asked: number; fresh: readonly NewTask[] },
  changes: JobChanges,
): AddResult {
  const numbered = fresh.map((task, index) => ({
    ...task,
    n: job.nextN + index,
    item_id: task.itemId,
    policy: task.policy ?? null,
  }))
  if (numbered.length > 0) {
    insertTasks(queries, job.jobNo, numbered)
    job.nextN += numbered.length
    changes.setNextNumber(job.jobNo, job.nextN)
  }
  changes.count(job.jobNo, 'state:pending', numbered.length)
  return { added: numbered.length, duplicates: asked - numbered.length, hosts: tally(numbered) }
}

/** The first of each key that the job does not know. */
export async function unseen(queries: Queries, jobNo: number, tasks: readonly NewTask[]): Promise<NewTask[]> {
  if (tasks.length === 0) return []
  const byKey = new Map<Key, NewTask>()
  for (const task of tasks) if (!byKey.has(task.key)) byKey.set(task.key, task)
  const known = await queries.all<{ key: string }>(
    'SELECT key::text AS key FROM seen WHERE job_no = $1 AND space = 0 AND key = ANY($2::bigint[])',
    jobNo,
    [...byKey.keys()],
  )
  for (const { key } of known) byKey.delete(BigInt(key))
  return [...byKey.values()]
}

type Numbered = NewTask & { n: number; item_id: string | null; policy: string | null }

/** With their names, in one statement. */
function insertTasks(queries: Transaction, jobNo: number, tasks: Numbered[]): void {
  const rows = rowsTable('r', { ...taskColumns, key: 'bigint' }, tasks, 2)
  const columns = Object.keys(taskColumns).join(', ')
  queries.send(
    `WITH r AS MATERIALIZED (SELECT * FROM ${rows.sql}),
       named AS (INSERT INTO seen (job_no, space, key, n) SELECT $1, 0, key, n FROM r)
     INSERT INTO tasks (job_no, ${columns}) SELECT $1, ${columns} FROM r ORDER BY ord`,
    jobNo,
    ...rows.values,
  )
}

function tally(tasks: NewTask[]): Map<string, number> {
  const hosts = new Map<string, number>()
  for (const { host } of tasks) hosts.set(host, (hosts.get(host) ?? 0) + 1)
  return hosts
}
