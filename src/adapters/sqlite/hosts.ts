// Hosts: their state across jobs, their robots.txt, and the tasks of a job per host.
import type { TaskState } from '../../model/task.ts'
import type { HostStore } from '../../ports/store.ts'
import type { PaceRow } from '../pace-counter.ts'
import { hostStates } from '../sql/hosts.ts'
import type { Sql } from '../sql/sql.ts'
import { stateOf } from './codes.ts'
import type { Parts } from './parts.ts'

export const hostStore = (parts: Parts, sql: Sql): HostStore => ({
  ...hostStates(sql),
  ofJob: jobHosts(parts),
  paces: jobPaces(parts),
})

function jobHosts({ connection, names }: Parts): HostStore['ofJob'] {
  return async (jobId, limit) => {
    const rows = connection.all<{ host: number; state: number; count: number; total: number }>(
      `WITH spread AS (
         SELECT host, state, count(*) AS count FROM tasks
         WHERE job_no = (SELECT job_no FROM jobs WHERE id = ?) GROUP BY host, state
       ), busiest AS (
         SELECT host, sum(count) AS total FROM spread GROUP BY host ORDER BY total DESC, host LIMIT ?
       )
       SELECT host, state, count, total FROM spread JOIN busiest USING (host) ORDER BY total DESC, host`,
      jobId,
      limit,
    )
    const hosts = new Map<number, Partial<Record<TaskState, number>>>()
    for (const { host, state, count } of rows)
      hosts.set(host, { ...hosts.get(host), [stateOf(state)]: count })
    return [...hosts].map(([host, byState]) => ({ host: names.textOf(host), byState }))
  }
}

function jobPaces({ connection, names }: Parts): HostStore['paces'] {
  return async (jobId, limit) => {
    const rows = connection.all<PaceRow<number>>(
      `SELECT host, requests, first_at, last_at FROM host_paces
       WHERE job_no = (SELECT job_no FROM jobs WHERE id = ?) ORDER BY requests DESC, host LIMIT ?`,
      jobId,
      limit,
    )
    return rows.map(({ host, requests, first_at: firstAt, last_at: lastAt }) => ({
      ...{ host: names.textOf(host), requests, firstAt, lastAt },
    }))
  }
}
