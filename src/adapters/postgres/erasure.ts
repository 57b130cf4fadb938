// Permanently deletes the stored data of a host.
import { erasedPlace } from '../../model/erasure.ts'
import type { ErasedHost, ErasureStore } from '../../ports/erasure.ts'
import { blankRows, type HostsOfTasks, hostEraser } from '../sql/erasure.ts'
import { all, run, type Sql, type Steps } from '../sql/sql.ts'
import type { Database } from './database.ts'
import { drive } from './dialect.ts'
import { writeJobs } from './job-changes.ts'

export function erasureStore(database: Database, sql: Sql): ErasureStore {
  return {
    ...hostEraser(sql, hostsOfTasks(sql)),

    blankTasks: (jobId, numbers) =>
      writeJobs(database, async (queries, changes) => {
        const text = 'SELECT job_no FROM jobs WHERE id = $1'
        const job = await queries.one<{ job_no: number }>(text, jobId)
        if (!job) return
        const removed = await drive(
          queries,
          blankRows(sql, { jobId, jobNo: job.job_no }, numbers, erasedPlace),
        )
        changes.count(job.job_no, 'records', -removed)
      }),

    /** Frees space for reuse. Deleted rows stay in the files until the space is reused, or until the owner runs VACUUM FULL. */
    async scrub() {
      await database.run('VACUUM records, tasks, attempts, webhooks, robots, host_states').catch(() => {})
    },
  }
}

function hostsOfTasks(sql: Sql): HostsOfTasks {
  const naming = (table: string): string =>
    `SELECT DISTINCT host FROM ${table} WHERE ${sql.contains('host', '$1')}`
  return {
    async find({ text, fits }) {
      const rows = await sql.all<{ host: string }>(naming('tasks'), text)
      return rows.map(({ host }) => host).filter(fits)
    },

    *forgetPaces({ text, fits }: ErasedHost): Steps<void> {
      const rows = yield* all<{ host: string }>(`${naming('host_paces')} UNION ${naming('job_hours')}`, text)
      const hosts = rows.map(({ host }) => host).filter(fits)
      yield* run(`DELETE FROM host_paces WHERE ${sql.among('host', '$1')}`, hosts)
      yield* run(`DELETE FROM job_hours WHERE ${sql.among('host', '$1')}`, hosts)
    },

    openStates: `'pending', 'queued', 'in_progress'`,
    joinLines: column => `string_agg(${column}, E'\\n')`,
  }
}
