// How far a job's output files are written.
import type { OutputProgress, OutputStore } from '../../ports/store.ts'
import type { Database } from './database.ts'
import { jobNumber } from './job-numbers.ts'

export function outputStore(database: Database): OutputStore {
  return {
    list: jobId =>
      database.all<OutputProgress & Record<string, unknown>>(
        `SELECT path, format, seq, bytes, done FROM outputs
         WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) ORDER BY path COLLATE "C"`,
        jobId,
      ),

    async save(jobId, { path, format, seq, bytes, done }) {
      await database.run(
        `INSERT INTO outputs (job_no, path, format, seq, bytes, done) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (job_no, path) DO UPDATE SET format = $3, seq = $4, bytes = $5, done = $6`,
        await jobNumber(database, jobId),
        path,
        format,
        seq,
        bytes,
        done,
      )
    },
  }
}
