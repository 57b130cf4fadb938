// Hosts: their state across jobs, their robots.txt, and the tasks of a job per host.
import type { HostPace } from '../../model/conduct.ts'
import type { HostState, RobotsEntry } from '../../model/host.ts'
import type { TaskState } from '../../model/task.ts'
import type { HostStore } from '../../ports/store.ts'
import { numberAt, type Sql } from './sql.ts'
import { findOne, stored } from './stored.ts'

const files = stored<RobotsEntry>('robots', {
  origin: 'plain',
  fetchedAt: 'plain',
  expiresAt: 'plain',
  verdict: 'plain',
  status: 'plain',
  body: 'plain',
  failures: 'plain',
})

const parsed = (row: { state: string }): HostState => JSON.parse(row.state)

export const hostStore = (sql: Sql): HostStore => ({ ...hostStates(sql), ...hostsOfJob(sql) })

function hostsOfJob(sql: Sql): Pick<HostStore, 'ofJob' | 'paces'> {
  return {
    async ofJob(jobId, limit) {
      const rows = await sql.all<{ name: string; held: TaskState; count: number }>(
        `WITH spread AS (
           SELECT host, state, count(*) AS count FROM tasks WHERE job_no = ${numberAt('$1')} GROUP BY host, state
         ), busiest AS (
           SELECT host, sum(count) AS total FROM spread GROUP BY host ORDER BY total DESC, host ${sql.byBytes} LIMIT $2
         )
         SELECT ${sql.word('spread.host')} AS name, ${sql.state('state')} AS held, count
         FROM spread JOIN busiest ON busiest.host = spread.host ORDER BY total DESC, spread.host ${sql.byBytes}`,
        jobId,
        limit,
      )
      const hosts = new Map<string, Partial<Record<TaskState, number>>>()
      for (const { name, held, count } of rows) hosts.set(name, { ...hosts.get(name), [held]: count })
      return [...hosts].map(([host, byState]) => ({ host, byState }))
    },

    paces: (jobId, limit) =>
      sql.all<HostPace>(
        `SELECT ${sql.word('p.host')} AS host, requests, first_at AS "firstAt", last_at AS "lastAt" FROM host_paces p
         WHERE job_no = ${numberAt('$1')} ORDER BY requests DESC, p.host LIMIT $2`,
        jobId,
        limit,
      ),
  }
}

function hostStates(sql: Sql): Omit<HostStore, 'ofJob' | 'paces'> {
  return {
    async get(host) {
      const row = await sql.one<{ state: string }>('SELECT state FROM host_states WHERE host = $1', host)
      return row && parsed(row)
    },

    async many(hosts) {
      const text = `SELECT state FROM host_states WHERE ${sql.among('host', '$1')}`
      return (await sql.all<{ state: string }>(text, hosts)).map(parsed)
    },

    async list({ after = '', limit = 1_000 } = {}) {
      const text = 'SELECT state FROM host_states WHERE host > $1 ORDER BY host LIMIT $2'
      return (await sql.all<{ state: string }>(text, after, limit)).map(parsed)
    },

    robots: origin => findOne(sql, files, 'WHERE origin = $1', origin),

    async keepRobots(entry) {
      await sql.run(files.upsert, ...files.values(entry))
    },
  }
}
