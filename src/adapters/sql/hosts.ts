// Hosts: their state across jobs, and their robots.txt.
import type { HostState, RobotsEntry } from '../../model/host.ts'
import type { HostStore } from '../../ports/store.ts'
import type { Sql } from './sql.ts'

interface RobotsRow {
  fetched_at: number
  expires_at: number
  verdict: RobotsEntry['verdict']
  status: number | null
  body: string
  failures: number
}

const parsed = (row: { state: string }): HostState => JSON.parse(row.state)

/** Leaves out the methods about tasks of a job, whose tables differ between the stores. */
export function hostStates(sql: Sql): Omit<HostStore, 'ofJob' | 'paces'> {
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

    async robots(origin) {
      const row = await sql.one<RobotsRow>('SELECT * FROM robots WHERE origin = $1', origin)
      if (!row) return null
      const { fetched_at: fetchedAt, expires_at: expiresAt, verdict, status, body, failures } = row
      return { origin, fetchedAt, expiresAt, verdict, status, body, failures }
    },

    async keepRobots({ origin, fetchedAt, expiresAt, verdict, status, body, failures }) {
      const text = `INSERT INTO robots (origin, fetched_at, expires_at, verdict, status, body, failures)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (origin) DO UPDATE SET fetched_at = excluded.fetched_at,
          expires_at = excluded.expires_at, verdict = excluded.verdict, status = excluded.status, body = excluded.body,
          failures = excluded.failures`
      await sql.run(text, origin, fetchedAt, expiresAt, verdict, status, body, failures)
    },
  }
}
