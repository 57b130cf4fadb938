// Hosts: their state across jobs, their robots.txt, and the tasks of a job per host.
import type { TaskState } from '../../model/task.ts'
import type { HostStore } from '../../ports/store.ts'
import type { PaceRow } from '../pace-counter.ts'
import { hostStates } from '../sql/hosts.ts'
import type { Sql } from '../sql/sql.ts'
import type { Database } from './database.ts'

type Pace = Omit<PaceRow<string>, 'job_no'>

export const hostStore = (database: Database, sql: Sql): HostStore => ({
  ...hostStates(sql),
  ofJob: jobHosts(database),
  paces: jobPaces(database),
})

function jobHosts(database: Database): HostStore['ofJob'] {
  return async (jobId, limit) => {
    const rows = await database.all<{ host: string; state: TaskState; count: number }>(
      `WITH spread AS (
         SELECT host, state, count(*) AS count FROM tasks
         WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) GROUP BY host, state
       ), busiest AS (
         SELECT host, sum(count) AS total, min(host COLLATE "C") AS name FROM spread GROUP BY host
         ORDER BY total DESC, name LIMIT $2
       )
       SELECT spread.host, state, count FROM spread JOIN busiest ON busiest.host = spread.host ORDER BY total DESC, name`,
      jobId,
      limit,
    )
    const hosts = new Map<string, Partial<Record<TaskState, number>>>()
    for (const { host, state, count } of rows) hosts.set(host, { ...hosts.get(host), [state]: count })
    return [...hosts].map(([host, byState]) => ({ host, byState }))
  }
}

function jobPaces(database: Database): HostStore['paces'] {
  return async (jobId, limit) => {
    const rows = await database.all<Pace & Record<string, unknown>>(
      `SELECT host, requests, first_at, last_at FROM host_paces
       WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) ORDER BY requests DESC, host LIMIT $2`,
      jobId,
      limit,
    )
    return rows.map(({ host, requests, first_at: firstAt, last_at: lastAt }) => ({
      ...{ host, requests, firstAt, lastAt },
    }))
  }
}
