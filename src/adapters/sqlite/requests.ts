// Control requests of other processes to the owner of a job.
import type { RequestKind, RequestStore } from '../../ports/store.ts'
import type { Parts } from './parts.ts'

interface RequestRow {
  id: number
  job_id: string
  kind: RequestKind
  at: number
}

export function requestStore({ connection }: Parts): RequestStore {
  return {
    async leave({ jobId, kind, at }) {
      const text = 'INSERT INTO requests (job_id, kind, at) VALUES (?, ?, ?)'
      connection.write(() => connection.run(text, jobId, kind, at))
    },

    async take() {
      // Called every second: without a read first, each call would take the write lock.
      if (!connection.one('SELECT 1 FROM requests LIMIT 1')) return []
      const rows = connection.write(() => {
        const left = connection.all<RequestRow>('SELECT id, job_id, kind, at FROM requests ORDER BY id')
        connection.run('DELETE FROM requests WHERE id <= ?', left.at(-1)?.id ?? 0)
        return left
      })
      return rows.map(({ job_id: jobId, kind, at }) => ({ jobId, kind, at }))
    },
  }
}
