// Adds new tasks to a locked job: drops tasks that the job already has, and numbers the rest.
import type { Key, NewTask } from '../../model/task.ts'
import type { AddResult } from '../../ports/store.ts'
import type { BulkWrite } from './bulk-writes.ts'
import type { Queries } from './database.ts'
import type { JobChanges, LockedJob } from './job-changes.ts'
import { type Holders, placeOf, readSeen, type SeenKey, seenNow, spaces } from './seen.ts'

const columns = {
  job_no: 'bigint',
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
  queries: Queries,
  job: LockedJob,
  tasks: readonly NewTask[],
  changes: JobChanges,
): Promise<AddResult> {
  const holders = await readSeen(queries, namesOf(job.jobNo, tasks))
  return enterTasks(job, tasks, holders, changes)
}

/** Adds the tasks whose names the job does not have yet. `holders` has the names that exist. Returns the numbers of added
 *  tasks and duplicates. */
export function enterTasks(
  job: LockedJob,
  asked: readonly NewTask[],
  holders: Holders,
  changes: JobChanges,
): AddResult {
  const { jobNo, nextN } = job
  const fresh = firstOfEach(asked).filter(({ key }) => !holders.has(placeOf(nameOf(jobNo, key))))
  if (fresh.length > 0) {
    insertTasks(jobNo, nextN, fresh, changes)
    job.nextN += fresh.length
    changes.setNextNumber(jobNo, job.nextN)
  }
  changes.count(jobNo, 'state:pending', fresh.length)
  return { added: fresh.length, duplicates: asked.length - fresh.length, hosts: countByHost(fresh) }
}

const nameOf = (jobNo: number, key: Key): SeenKey => ({ job_no: jobNo, space: spaces.name, key })

/** The name keys of these tasks, without duplicates. */
export const namesOf = (jobNo: number, tasks: readonly NewTask[]): SeenKey[] =>
  [...new Set(tasks.map(({ key }) => key))].map(key => nameOf(jobNo, key))

function firstOfEach(tasks: readonly NewTask[]): NewTask[] {
  const byKey = new Map<Key, NewTask>()
  for (const task of tasks) if (!byKey.has(task.key)) byKey.set(task.key, task)
  return [...byKey.values()]
}

const names = Object.keys(columns).join(', ')

const newTasks = {
  name: 'new_tasks',
  columns,
  text: tasks => `INSERT INTO tasks (${names}) SELECT ${names} FROM ${tasks} ORDER BY ord`,
} satisfies BulkWrite

function insertTasks(jobNo: number, firstN: number, tasks: NewTask[], changes: JobChanges): void {
  const numbered = tasks.map((task, index) => ({ ...task, job_no: jobNo, n: firstN + index }))
  changes.add(
    seenNow,
    numbered.map(({ key, n }) => ({ ...nameOf(jobNo, key), n })),
  )
  changes.add(
    newTasks,
    numbered.map(task => ({ ...task, item_id: task.itemId, policy: task.policy ?? null })),
  )
}

function countByHost(tasks: NewTask[]): Map<string, number> {
  const hosts = new Map<string, number>()
  for (const { host } of tasks) hosts.set(host, (hosts.get(host) ?? 0) + 1)
  return hosts
}
