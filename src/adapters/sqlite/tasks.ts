// The SQLite part of the task store: adding tasks, and the hosts with runnable tasks.
import { isIn } from '../../lib/shard-of.ts'
import type { TaskStore } from '../../ports/store.ts'
import { bulkMoves } from '../sql/bulk-moves.ts'
import { saveProgress } from '../sql/jobs.ts'
import { numberAt, type Sql } from '../sql/sql.ts'
import { rejectRows, sharedTasks } from '../sql/tasks.ts'
import type { AddTasks } from './add-tasks.ts'
import { drive } from './dialect.ts'
import { jobWriter, writeJobs } from './job-changes.ts'
import { jobNumber } from './job-numbers.ts'
import { taskLeases } from './leases.ts'
import type { Parts } from './parts.ts'

export function taskStore(parts: Parts, sql: Sql, addTasks: AddTasks): TaskStore {
  const { connection, names } = parts
  return {
    ...sharedTasks(sql),
    ...taskLeases(parts),
    ...bulkMoves(sql, jobWriter(connection)),

    async add(jobId, tasks, progress, rejected = []) {
      return writeJobs(connection, changes => {
        const jobNo = jobNumber(connection, jobId)
        const result = addTasks(jobNo, tasks, changes)
        if (progress) drive(connection, saveProgress(jobNo, progress, result))
        drive(connection, rejectRows(sql, jobNo, rejected))
        return result
      })
    },

    async pendingHosts(jobId, shard) {
      const rows = connection.all<{ host: number; count: number }>(
        `SELECT host, count(*) AS count FROM tasks
         WHERE job_no = ${numberAt('$1')} AND state = 2 AND not_before = 0 GROUP BY host`,
        jobId,
      )
      return rows
        .map(({ host, count }) => ({ host: names.textOf(host), count }))
        .filter(({ host }) => isIn(shard, host))
    },
  }
}
