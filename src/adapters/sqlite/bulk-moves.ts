// Moves many tasks: ends pending tasks, reopens failed ones. Works in chunks, so that locks are short.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { Reason } from '../../model/task.ts'
import type { TaskStore } from '../../ports/store.ts'
import { codeList, stateCodes, stateOf } from './codes.ts'
import type { Connection } from './connection.ts'
import { hostTaskCounts } from './host-task-counts.ts'
import { type JobChanges, writeJobs } from './job-changes.ts'
import { jobNumber } from './job-numbers.ts'
import type { Parts } from './parts.ts'

/** Number of tasks per transaction, which takes about 50 ms. */
const windowSize = 10_000

export function bulkMoves(parts: Parts): Pick<TaskStore, 'endPending' | 'reopen'> {
  return { endPending: pendingEnder(parts), reopen: reopener(parts) }
}

/** Processes the tasks of a job in storage order, with one transaction per window. */
async function eachWindow(
  connection: Connection,
  jobNo: number,
  work: (from: number, changes: JobChanges) => void,
): Promise<void> {
  const nextNumber = () =>
    connection.one<{ next_n: number }>('SELECT next_n FROM jobs WHERE job_no = ?', jobNo)?.next_n ?? 0
  for (let from = 1; from < nextNumber(); from += windowSize) {
    writeJobs(connection, changes => work(from, changes))
    await letOthersRun()
  }
}

function pendingEnder({ connection, names }: Parts): TaskStore['endPending'] {
  return async (jobId, to, reason, only) => {
    const { host, message, retryAt = 0 } = only ?? {}
    const jobNo = jobNumber(connection, jobId)
    // An unknown host gets the number 0, which no task has.
    const hostNo = host === undefined ? null : (names.find(host) ?? 0)
    let total = 0
    await eachWindow(connection, jobNo, (from, changes) => {
      const ended = connection.run(
        `UPDATE tasks SET state = ?1, reason = ?2, not_before = ?7, message = coalesce(?6, message)
         WHERE job_no = ?3 AND n >= ?4 AND n < ?4 + ${windowSize} AND state = 2 AND (?5 IS NULL OR host = ?5)`,
        stateCodes[to],
        names.idOf(reason),
        jobNo,
        from,
        hostNo,
        message ?? null,
        retryAt,
      )
      changes.countMove(jobNo, 'pending', to, ended)
      changes.count(jobNo, `reason:${reason}`, ended)
      total += ended
    })
    return total
  }
}

interface EndedRow {
  host: number
  state: number
  reason: number
  count: number
}

function reopener({ connection, names }: Parts): TaskStore['reopen'] {
  function reopenFrom(jobNo: number, from: number, codes: string): EndedRow[] {
    const where = `job_no = ?1 AND n >= ?2 AND n < ?2 + ${windowSize} AND state IN (${codes})`
    const groups = connection.all<EndedRow>(
      `SELECT host, state, reason, count(*) AS count FROM tasks WHERE ${where} GROUP BY host, state, reason`,
      jobNo,
      from,
    )
    const cleanSlate = `state = 2, reason = 2, message = NULL, charged = 0, deaths = 0, not_before = 0`
    if (groups.length > 0) connection.run(`UPDATE tasks SET ${cleanSlate} WHERE ${where}`, jobNo, from)
    return groups
  }

  return async (jobId, states) => {
    const jobNo = jobNumber(connection, jobId)
    const reopened = hostTaskCounts(() => jobId, names)
    const codes = codeList(states)
    await eachWindow(connection, jobNo, (from, changes) => {
      for (const { host, state, reason, count } of reopenFrom(jobNo, from, codes)) {
        changes.countMove(jobNo, stateOf(state), 'pending', count)
        changes.count(jobNo, `reason:${names.textOf(reason) as Reason}`, -count)
        reopened.add(jobNo, host, count)
      }
    })
    return reopened.rows().map(({ host, count }) => ({ host, count }))
  }
}
