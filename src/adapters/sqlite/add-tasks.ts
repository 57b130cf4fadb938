// Enters new tasks into a job: what it has seen is dropped, the rest gets the next numbers. Runs inside a write.
import type { NewTask } from '../../model/task.ts'
import type { AddResult } from '../../ports/store.ts'
import { kindCodes } from './codes.ts'
import type { CounterChanges } from './counters.ts'
import type { Parts } from './parts.ts'

export type AddTasks = (jobNo: number, tasks: readonly NewTask[], counters: CounterChanges) => AddResult

export function taskAdder({ connection, names }: Pick<Parts, 'connection' | 'names'>): AddTasks {
  const enterName = connection.prepare(
    'INSERT INTO seen (job_no, space, key, n) VALUES (?, 0, ?, ?) ON CONFLICT DO NOTHING',
  )
  const insertTask = connection.prepare(
    `INSERT INTO tasks (job_no, n, host, kind, depth, priority, parent, url, input, item_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const nextNumber = connection.prepare('SELECT next_n FROM jobs WHERE job_no = ?')
  const saveNextNumber = connection.prepare('UPDATE jobs SET next_n = ? WHERE job_no = ?')

  function insert(jobNo: number, n: number, task: NewTask): void {
    const { host, kind, depth, priority, parent, url, input, itemId } = task
    const hostNo = names.idOf(host)
    insertTask.run(jobNo, n, hostNo, kindCodes[kind], depth, priority, parent, url, input, itemId)
  }

  return (jobNo, tasks, counters) => {
    const first = nextNumber.get(jobNo)!.next_n as number
    const hosts = new Map<string, number>()
    let n = first
    for (const task of tasks) {
      if (enterName.run(jobNo, task.key, n).changes === 0) continue
      insert(jobNo, n, task)
      hosts.set(task.host, (hosts.get(task.host) ?? 0) + 1)
      n += 1
    }
    const added = n - first
    if (added > 0) saveNextNumber.run(n, jobNo)
    counters.add(jobNo, 'state:pending', added)
    return { added, duplicates: tasks.length - added, hosts }
  }
}
