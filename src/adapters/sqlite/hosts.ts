// Hosts: their state across jobs, robots.txt, and the distribution of a job's tasks.
import type { HostState, RobotsEntry } from '../../model/host.ts'
import type { TaskState } from '../../model/task.ts'
import type { HostStore } from '../../ports/store.ts'
import type { PaceRow } from '../pace-counter.ts'
import { stateOf } from './codes.ts'
import type { Parts } from './parts.ts'

interface RobotsRow {
  origin: string
  fetched_at: number
  expires_at: number
  verdict: RobotsEntry['verdict']
  status: number | null
  body: string
  failures: number
}

const parsed = (row: { state: string }): HostState => JSON.parse(row.state)

export function hostStore(parts: Parts): HostStore {
  const { connection } = parts
  return {
    ofJob: jobHosts(parts),
    paces: jobPaces(parts),
    ...robotsFiles(parts),

    async get(host) {
      const row = connection.one<{ state: string }>('SELECT state FROM host_states WHERE host = ?', host)
      return row ? parsed(row) : null
    },

    async many(hosts) {
      const text = 'SELECT state FROM host_states WHERE host IN (SELECT value FROM json_each(?))'
      return connection.all<{ state: string }>(text, JSON.stringify(hosts)).map(parsed)
    },

    async list({ after = '', limit = 1_000 } = {}) {
      const text = 'SELECT state FROM host_states WHERE host > ? ORDER BY host LIMIT ?'
      return connection.all<{ state: string }>(text, after, limit).map(parsed)
    },
  }
}

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

function robotsFiles({ connection }: Parts): Pick<HostStore, 'robots' | 'keepRobots'> {
  return {
    async robots(origin) {
      const row = connection.one<RobotsRow>('SELECT * FROM robots WHERE origin = ?', origin)
      if (!row) return null
      const { fetched_at: fetchedAt, expires_at: expiresAt, verdict, status, body, failures } = row
      return { origin, fetchedAt, expiresAt, verdict, status, body, failures }
    },

    async keepRobots({ origin, fetchedAt, expiresAt, verdict, status, body, failures }) {
      const text = `INSERT OR REPLACE INTO robots (origin, fetched_at, expires_at, verdict, status, body, failures)
        VALUES (?, ?, ?, ?, ?, ?, ?)`
      connection.write(() =>
        connection.run(text, origin, fetchedAt, expiresAt, verdict, status, body, failures),
      )
    },
  }
}
