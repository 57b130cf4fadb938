// Moves many tasks: ends pending tasks, reopens failed ones. Works in chunks, so that locks are short.
import type { Reason, TaskState } from '../../model/task.ts'
import type { TaskStore } from '../../ports/store.ts'
import type { Database, Queries } from './database.ts'
import { type JobChanges, writeJobs } from './job-changes.ts'
import { jobNumber } from './job-numbers.ts'

/** Number of tasks per transaction. */
const windowSize = 10_000

export function bulkMoves(database: Database): Pick<TaskStore, 'endPending' | 'reopen'> {
  return { endPending: pendingEnder(database), reopen: reopener(database) }
}

/** Processes the tasks of a job in order of their numbers, with one transaction per window. */
async function eachWindow(
  database: Database,
  jobNo: number,
  work: (queries: Queries, from: number, changes: JobChanges) => Promise<void>,
): Promise<void> {
  const nextNumber = async () =>
    (await database.one<{ next_n: number }>('SELECT next_n FROM jobs WHERE job_no = $1', jobNo))?.next_n ?? 0
  for (let from = 1; from < (await nextNumber()); from += windowSize)
    await writeJobs(database, (queries, changes) => work(queries, from, changes))
}

function pendingEnder(database: Database): TaskStore['endPending'] {
  return async (jobId, to, reason, only) => {
    const { host, message, retryAt = 0 } = only ?? {}
    const jobNo = await jobNumber(database, jobId)
    const ended: number[] = []
    await eachWindow(database, jobNo, async (queries, from, changes) => {
      const count = await queries.run(
        `UPDATE tasks SET state = $1, reason = $2, not_before = $7, message = coalesce($6, message)
         WHERE job_no = $3 AND n >= $4 AND n < $4 + ${windowSize} AND state = 'pending' AND ($5::text IS NULL OR host = $5)`,
        to,
        reason,
        jobNo,
        from,
        host ?? null,
        message ?? null,
        retryAt,
      )
      changes.countMove(jobNo, 'pending', to, count)
      changes.count(jobNo, `reason:${reason}`, count)
      ended[(from - 1) / windowSize] = count
    })
    return ended.reduce((sum, count) => sum + count, 0)
  }
}

interface ReopenedRow {
  host: string
  held: TaskState
  why: Reason
  count: number
}

function reopener(database: Database): TaskStore['reopen'] {
  return async (jobId, states) => {
    const jobNo = await jobNumber(database, jobId)
    const windows = new Map<number, ReopenedRow[]>()
    await eachWindow(database, jobNo, async (queries, from, changes) => {
      const rows = await reopenFrom(queries, jobNo, from, states)
      for (const { held, why, count } of rows) {
        changes.countMove(jobNo, held, 'pending', count)
        changes.count(jobNo, `reason:${why}`, -count)
      }
      windows.set(from, rows)
    })
    const hosts = Map.groupBy([...windows.values()].flat(), ({ host }) => host)
    return [...hosts].map(([host, rows]) => ({ host, count: rows.reduce((sum, row) => sum + row.count, 0) }))
  }
}

const reopenFrom = (
  queries: Queries,
  jobNo: number,
  from: number,
  states: TaskState[],
): Promise<ReopenedRow[]> =>
  queries.all<ReopenedRow & Record<string, unknown>>(
    `WITH ended AS (
       SELECT n, host, state, reason FROM tasks
       WHERE job_no = $1 AND n >= $2 AND n < $2 + ${windowSize} AND state = ANY($3::text[]) FOR UPDATE
     ), reopened AS (
       UPDATE tasks t SET state = 'pending', reason = NULL, message = NULL, charged = 0, deaths = 0, not_before = 0
       FROM ended WHERE t.job_no = $1 AND t.n = ended.n
     )
     SELECT host, state AS held, reason AS why, count(*) AS count FROM ended GROUP BY host, state, reason`,
    jobNo,
    from,
    states,
  )
