// Hosts: their state across jobs, robots.txt, and the distribution of a job's tasks.
import type { HostState, RobotsEntry } from '../../model/host.ts'
import type { TaskState } from '../../model/task.ts'
import type { HostStore } from '../../ports/store.ts'
import type { PaceRow } from '../pace-counter.ts'
import type { Database } from './database.ts'
import { withoutNul } from './rows.ts'

interface RobotsRow {
  fetched_at: number
  expires_at: number
  verdict: RobotsEntry['verdict']
  status: number | null
  body: string
  failures: number
}

type Pace = Omit<PaceRow<string>, 'job_no'>

const parsed = (row: { state: string }): HostState => JSON.parse(row.state)

export function hostStore(database: Database): HostStore {
  return {
    ofJob: jobHosts(database),
    paces: jobPaces(database),
    ...robotsFiles(database),

    async get(host) {
      const row = await database.one<{ state: string }>('SELECT state FROM host_states WHERE host = $1', host)
      return row ? parsed(row) : null
    },

    async many(hosts) {
      const text = 'SELECT state FROM host_states WHERE host = ANY($1::text[])'
      return (await database.all<{ state: string }>(text, hosts)).map(parsed)
    },

    async list({ after = '', limit = 1_000 } = {}) {
      const text = 'SELECT state FROM host_states WHERE host > $1 ORDER BY host LIMIT $2'
      return (await database.all<{ state: string }>(text, after, limit)).map(parsed)
    },
  }
}

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

function robotsFiles(database: Database): Pick<HostStore, 'robots' | 'keepRobots'> {
  return {
    async robots(origin) {
      const row = await database.one<RobotsRow>('SELECT * FROM robots WHERE origin = $1', origin)
      if (!row) return null
      const { fetched_at: fetchedAt, expires_at: expiresAt, verdict, status, body, failures } = row
      return { origin, fetchedAt, expiresAt, verdict, status, body, failures }
    },

    async keepRobots({ origin, fetchedAt, expiresAt, verdict, status, body, failures }) {
      await database.run(
        `INSERT INTO robots (origin, fetched_at, expires_at, verdict, status, body, failures)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (origin) DO UPDATE SET fetched_at = $2, expires_at = $3, verdict = $4, status = $5, body = $6, failures = $7`,
        origin,
        fetchedAt,
        expiresAt,
        verdict,
        status,
        withoutNul(body),
        failures,
      )
    },
  }
}
