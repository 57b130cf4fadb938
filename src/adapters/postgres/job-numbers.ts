// Maps job ids to the numbers in rows.
import { unknownJob } from '../store-failures.ts'
import type { Queries } from './database.ts'

async function findJobNumber(queries: Queries, jobId: string): Promise<number | null> {
  const row = await queries.one<{ job_no: number }>('SELECT job_no FROM jobs WHERE id = $1', jobId)
  return row?.job_no ?? null
}

export async function jobNumber(queries: Queries, jobId: string): Promise<number> {
  const jobNo = await findJobNumber(queries, jobId)
  if (jobNo === null) throw unknownJob(jobId)
  return jobNo
}
