// Control requests of other processes to the owner of a job.
import type { RequestKind, RequestStore } from '../../ports/store.ts'
import type { Database } from './database.ts'

interface RequestRow {
  id: number
  job_id: string
  kind: RequestKind
  at: number
}

export function requestStore(database: Database): RequestStore {
  return {
    async leave({ jobId, kind, at }) {
      await database.run('INSERT INTO requests (job_id, kind, at) VALUES ($1, $2, $3)', jobId, kind, at)
    },

    async take() {
      const rows = await database.all<RequestRow>('DELETE FROM requests RETURNING id, job_id, kind, at')
      rows.sort((a, b) => a.id - b.id)
      return rows.map(({ job_id: jobId, kind, at }) => ({ jobId, kind, at }))
    },
  }
}
