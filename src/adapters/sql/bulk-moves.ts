// Moves many tasks: ends pending tasks, reopens failed ones. Works in chunks, so that transactions and locks are short.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { Reason, TaskState } from '../../model/task.ts'
import type { TaskStore } from '../../ports/store.ts'
import type { JobCounters } from '../job-counters.ts'
import { readJobNumber } from './job-numbers.ts'
import { all, run, type Sql, type Steps, type WriteJobs } from './sql.ts'

/** Number of tasks per transaction, which takes about 50 ms. */
const windowSize = 10_000

/** SQL for the tasks of a window. Parameters: $1 the job, $2 the first number. */
const inWindow = `job_no = $1 AND n >= $2 AND n < $2 + ${windowSize}`

export function bulkMoves(sql: Sql, write: WriteJobs): Pick<TaskStore, 'endPending' | 'reopen'> {
  return { endPending: pendingEnder(sql, write), reopen: reopener(sql, write) }
}

/** Processes the tasks of a job in order of their numbers, with one transaction per window. Returns the result of each window. */
async function eachWindow<Result>(
  sql: Sql,
  write: WriteJobs,
  jobNo: number,
  work: (from: number, counters: JobCounters) => Steps<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const text = 'SELECT next_n FROM jobs WHERE job_no = $1'
  const nextNumber = async () => (await sql.one<{ next_n: number }>(text, jobNo))?.next_n ?? 0
  for (let from = 1; from < (await nextNumber()); from += windowSize) {
    results.push(await write(counters => work(from, counters)))
    await letOthersRun()
  }
  return results
}

function pendingEnder(sql: Sql, write: WriteJobs): TaskStore['endPending'] {
  const ofHost = `(CAST($4 AS text) IS NULL OR host = ${sql.storedWord('$4')})`
  return async (jobId, to, reason, { host = null, message = null, retryAt = 0 } = {}) => {
    const jobNo = await readJobNumber(sql, jobId)
    const text = `UPDATE tasks SET state = ${sql.states([to])}, reason = ${sql.storedWord('$3')},
      message = coalesce($5, message), not_before = $6
      WHERE ${inWindow} AND state IN (${sql.states(['pending'])}) AND ${ofHost}`
    const ended = await eachWindow(sql, write, jobNo, function* (from, counters) {
      if (sql.addWord) yield* run(sql.addWord, reason)
      const count = yield* run(text, jobNo, from, reason, host, message, retryAt)
      counters.countMove(jobNo, 'pending', to, count)
      counters.count(jobNo, `reason:${reason}`, count)
      return count
    })
    return ended.reduce((sum, count) => sum + count, 0)
  }
}

interface ReopenedRow {
  name: string
  held: TaskState
  why: Reason
  count: number
}

function reopener(sql: Sql, write: WriteJobs): TaskStore['reopen'] {
  return async (jobId, states) => {
    const jobNo = await readJobNumber(sql, jobId)
    const where = `${inWindow} AND state IN (${sql.states(states)})`
    const rows = await eachWindow(sql, write, jobNo, function* (from, counters) {
      const ended = yield* all<ReopenedRow>(
        `SELECT ${sql.word('host')} AS name, ${sql.state('state')} AS held, ${sql.word('reason')} AS why, count(*) AS count
         FROM (SELECT host, state, reason FROM tasks WHERE ${where} ${sql.forUpdate}) ended GROUP BY host, state, reason`,
        ...[jobNo, from],
      )
      if (ended.length > 0) yield* run(`UPDATE tasks SET ${cleanSlate(sql)} WHERE ${where}`, jobNo, from)
      for (const { held, why, count } of ended) {
        counters.countMove(jobNo, held, 'pending', count)
        counters.count(jobNo, `reason:${why}`, -count)
      }
      return ended
    })
    const hosts = Map.groupBy(rows.flat(), ({ name }) => name)
    return [...hosts].map(([host, own]) => ({ host, count: own.reduce((sum, row) => sum + row.count, 0) }))
  }
}

const cleanSlate = ({ states, noReason }: Sql): string =>
  `state = ${states(['pending'])}, reason = ${noReason}, message = NULL, charged = 0, deaths = 0, not_before = 0`
