// How far a job's output files are written.
import type { OutputProgress, OutputStore } from '../../ports/store.ts'
import { jobNumber } from './job-numbers.ts'
import type { Parts } from './parts.ts'

export function outputStore({ connection }: Parts): OutputStore {
  return {
    async list(jobId) {
      const rows = connection.all<Omit<OutputProgress, 'done'> & { done: number }>(
        `SELECT path, format, seq, bytes, done FROM outputs
         WHERE job_no = (SELECT job_no FROM jobs WHERE id = ?) ORDER BY path`,
        jobId,
      )
      return rows.map(row => ({ ...row, done: row.done === 1 }))
    },

    async save(jobId, { path, format, seq, bytes, done }) {
      const text =
        'INSERT OR REPLACE INTO outputs (job_no, path, format, seq, bytes, done) VALUES (?, ?, ?, ?, ?, ?)'
      connection.write(() => {
        const jobNo = jobNumber(connection, jobId)
        connection.run(text, jobNo, path, format, seq, bytes, Number(done))
      })
    },
  }
}
