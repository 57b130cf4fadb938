// The PostgreSQL part of the task store: adding tasks, and the hosts with runnable tasks.
import type { TaskStore } from '../../ports/store.ts'
import { bulkMoves } from '../sql/bulk-moves.ts'
import { saveProgress } from '../sql/jobs.ts'
import { numberAt, type Sql } from '../sql/sql.ts'
import { rejectRows, sharedTasks } from '../sql/tasks.ts'
import { unknownJob } from '../store-failures.ts'
import { addTasks } from './add-tasks.ts'
import type { Database } from './database.ts'
import { drive } from './dialect.ts'
import { jobWriter, lockJobs, writeJobs } from './job-changes.ts'
import { taskLeases } from './leases.ts'
import { inShard, shardValues } from './shards.ts'

export function taskStore(database: Database, sql: Sql, now: () => number): TaskStore {
  return {
    ...sharedTasks(sql),
    ...taskLeases(database, now),
    ...bulkMoves(sql, jobWriter(database)),

    add: (jobId, tasks, progress, rejected = []) =>
      writeJobs(database, async (queries, changes) => {
        const job = (await lockJobs(queries, [jobId])).get(jobId)
        if (!job) throw unknownJob(jobId)
        const result = await addTasks(queries, job, tasks, changes)
        if (progress) await drive(queries, saveProgress(job.jobNo, progress, result))
        await drive(queries, rejectRows(sql, job.jobNo, rejected))
        return result
      }),

    pendingHosts: (jobId, shard) =>
      database.all<{ host: string; count: number }>(
        `SELECT host, count(*) AS count FROM tasks
         WHERE job_no = ${numberAt('$1')} AND state = 'pending' AND not_before = 0 GROUP BY host HAVING ${inShard}`,
        jobId,
        ...shardValues(shard),
      ),
  }
}
