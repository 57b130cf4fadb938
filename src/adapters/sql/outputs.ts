// The progress of a job's output files.
import type { OutputProgress, OutputStore } from '../../ports/store.ts'
import { unknownJob } from '../store-failures.ts'
import { numberAt, type Sql } from './sql.ts'

export function outputStore(sql: Sql): OutputStore {
  return {
    async list(jobId) {
      const text = `SELECT path, format, seq, bytes, done FROM outputs
        WHERE job_no = ${numberAt('$1')} ORDER BY path ${sql.byBytes}`
      const rows = await sql.all<Omit<OutputProgress, 'done'> & { done: number | boolean }>(text, jobId)
      return rows.map(row => ({ ...row, done: Boolean(row.done) }))
    },

    async save(jobId, { path, format, seq, bytes, done }) {
      const text = `INSERT INTO outputs (job_no, path, format, seq, bytes, done)
        SELECT job_no, $2, $3, $4, $5, $6 FROM jobs WHERE id = $1
        ON CONFLICT (job_no, path) DO UPDATE SET format = excluded.format, seq = excluded.seq, bytes = excluded.bytes,
          done = excluded.done`
      if ((await sql.run(text, jobId, path, format, seq, bytes, done)) === 0) throw unknownJob(jobId)
    },
  }
}
