// Moves of many tasks at once: ending what is pending, reopening what failed. In chunks, so that nobody waits long.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { Reason, TaskState } from '../../model/task.ts'
import type { TaskStore } from '../../ports/store.ts'
import { codeList, stateCodes, stateOf } from './codes.ts'
import { type CounterChanges, countedWrite } from './counters.ts'
import { hostTally } from './host-tally.ts'
import { jobNumber } from './job-numbers.ts'
import type { Parts } from './parts.ts'

/** Tasks moved in one transaction: some 50 ms. */
const chunkSize = 10_000

export function bulkMoves(parts: Parts): Pick<TaskStore, 'endPending' | 'reopen'> {
  return { endPending: pendingEnder(parts), reopen: reopener(parts) }
}

function pendingEnder({ connection, names }: Parts): TaskStore['endPending'] {
  function endSome(jobNo: number, to: TaskState, reason: Reason, host: number | null, where: string): number {
    return countedWrite(connection, counters => {
      const ended = connection.run(
        `UPDATE tasks SET state = ?1, reason = ?2, not_before = 0 WHERE job_no = ?3 AND n IN (
           SELECT n FROM tasks WHERE job_no = ?3 AND state = 2 AND ${where} AND (?4 IS NULL OR host = ?4) LIMIT ${chunkSize})`,
        stateCodes[to],
        names.idOf(reason),
        jobNo,
        host,
      )
      counters.move(jobNo, 'pending', to, ended)
      counters.add(jobNo, `reason:${reason}`, ended)
      return ended
    })
  }

  return async (jobId, state, reason, host) => {
    const jobNo = jobNumber(connection, jobId)
    const hostNo = host === undefined ? null : (names.find(host) ?? 0)
    let total = 0
    // The runnable and the waiting ones are two indexes.
    for (const where of ['not_before = 0', 'not_before > 0']) {
      let ended: number
      do {
        ended = endSome(jobNo, state, reason, hostNo, where)
        total += ended
        await letOthersRun()
      } while (ended === chunkSize)
    }
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
  function reopenBetween(jobNo: number, from: number, codes: string, counters: CounterChanges): EndedRow[] {
    const where = `job_no = ?1 AND n >= ?2 AND n < ?2 + ${chunkSize} AND state IN (${codes})`
    const groups = connection.all<EndedRow>(
      `SELECT host, state, reason, count(*) AS count FROM tasks WHERE ${where} GROUP BY host, state, reason`,
      jobNo,
      from,
    )
    if (groups.length === 0) return groups
    connection.run(
      `UPDATE tasks SET state = 2, reason = 2, message = NULL, charged = 0, deaths = 0, not_before = 0 WHERE ${where}`,
      jobNo,
      from,
    )
    for (const { state, reason, count } of groups) {
      counters.move(jobNo, stateOf(state), 'pending', count)
      counters.add(jobNo, `reason:${names.textOf(reason) as Reason}`, -count)
    }
    return groups
  }

  return async (jobId, states) => {
    const jobNo = jobNumber(connection, jobId)
    const reopened = hostTally(() => jobId, names)
    const codes = codeList(states)
    const text = 'SELECT next_n FROM jobs WHERE job_no = ?'
    const end = connection.one<{ next_n: number }>(text, jobNo)!.next_n
    for (let from = 1; from < end; from += chunkSize) {
      const groups = countedWrite(connection, counters => reopenBetween(jobNo, from, codes, counters))
      for (const { host, count } of groups) reopened.add(jobNo, host, count)
      await letOthersRun()
    }
    return reopened.rows().map(({ host, count }) => ({ host, count }))
  }
}
