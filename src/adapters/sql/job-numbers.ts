// Maps job ids to the numbers in rows.
import { unknownJob } from '../store-failures.ts'
import { one, type Steps } from './sql.ts'

/** Throws if the job does not exist. `lock` is `forUpdate` or empty. */
export function* jobNumber(jobId: string, lock = ''): Steps<number> {
  const row = yield* one<{ job_no: number }>(`SELECT job_no FROM jobs WHERE id = $1 ${lock}`, jobId)
  if (!row) throw unknownJob(jobId)
  return row.job_no
}
