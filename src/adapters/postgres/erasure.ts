// The PostgreSQL part of the erasure: which columns contain host names, and the removal of deleted rows from the files.
import type { HostQueries } from '../sql/erasure.ts'
import type { Database } from './database.ts'

export const hostQueries = (database: Database): HostQueries => ({
  ofTasks: 'SELECT DISTINCT host AS stored, host AS name FROM tasks',
  ofCounts: 'SELECT host AS stored, host AS name FROM host_paces UNION SELECT host, host FROM job_hours',

  /** Frees space for reuse. Deleted rows stay in the files until the space is reused, or until the owner runs VACUUM FULL. */
  async scrub() {
    await database.run('VACUUM records, tasks, attempts, webhooks, robots, host_states').catch(() => {})
  },
})
