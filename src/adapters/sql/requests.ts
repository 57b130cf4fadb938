// Control requests that other processes leave for the owner of a job.
import type { RequestKind, RequestStore } from '../../ports/store.ts'
import { all, type Sql } from './sql.ts'

interface RequestRow {
  id: number
  job_id: string
  kind: RequestKind
  at: number
}

export function requestStore(sql: Sql): RequestStore {
  return {
    async leave({ jobId, kind, at }) {
      await sql.run('INSERT INTO requests (job_id, kind, at) VALUES ($1, $2, $3)', jobId, kind, at)
    },

    async take() {
      // Called every second. Without this read, each call would take SQLite's write lock.
      if (!(await sql.one('SELECT 1 FROM requests LIMIT 1'))) return []
      const taken = await sql.transaction(() =>
        all<RequestRow>('DELETE FROM requests RETURNING id, job_id, kind, at'),
      )
      taken.sort((a, b) => a.id - b.id)
      return taken.map(({ job_id: jobId, kind, at }) => ({ jobId, kind, at }))
    },
  }
}
