// Adds new tasks to a job: drops tasks that the job already has, and numbers the rest. Runs inside a write transaction.
import type { NewTask } from '../../model/task.ts'
import type { AddResult } from '../../ports/store.ts'
import { kindCodes } from './codes.ts'
import type { JobChanges } from './job-changes.ts'
import type { Parts } from './parts.ts'

export type AddTasks = (jobNo: number, tasks: readonly NewTask[], changes: JobChanges) => AddResult

export function taskAdder({ connection, names }: Pick<Parts, 'connection' | 'names'>): AddTasks {
  const enterName = connection.prepare(
    'INSERT INTO seen (job_no, space, key, n) VALUES (?, 0, ?, ?) ON CONFLICT DO NOTHING',
  )
  const insertTask = connection.prepare(
    `INSERT INTO tasks (job_no, n, host, kind, depth, priority, parent, url, input, item_id, policy)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  function insert(jobNo: number, n: number, task: NewTask): void {
    const { host, kind, depth, priority, parent, url, input, itemId, policy = null } = task
    const hostNo = names.idOf(host)
    insertTask.run(jobNo, n, hostNo, kindCodes[kind], depth, priority, parent, url, input, itemId, policy)
  }

  return (jobNo, tasks, changes) => {
    const first = changes.nextNumber(jobNo)
    const hosts = new Map<string, number>()
    let n = first
    for (const task of tasks) {
      if (enterName.run(jobNo, task.key, n).changes === 0) continue
      insert(jobNo, n, task)
      hosts.set(task.host, (hosts.get(task.host) ?? 0) + 1)
      n += 1
    }
    const added = n - first
    if (added > 0) changes.setNextNumber(jobNo, n)
    changes.count(jobNo, 'state:pending', added)
    return { added, duplicates: tasks.length - added, hosts }
  }
}
