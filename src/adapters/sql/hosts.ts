// Hosts: their state across jobs, and their robots.txt.
import type { HostState, RobotsEntry } from '../../model/host.ts'
import type { HostStore } from '../../ports/store.ts'
import type { Sql } from './sql.ts'
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

    robots: origin => findOne(sql, files, 'WHERE origin = $1', origin),

    async keepRobots(entry) {
      await sql.run(files.upsert, ...files.values(entry))
    },
  }
}
