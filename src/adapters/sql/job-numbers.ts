// Maps job ids to the numbers in rows.
import { unknownJob } from '../store-failures.ts'
import { one, type Sql, type Steps } from './sql.ts'

interface Numbered {
  job_no: number
}

const numberText = 'SELECT job_no FROM jobs WHERE id = $1'

/** The number of a job, read inside a transaction. Throws if the job does not exist. `lock` is `forUpdate` or empty. */
export function* jobNumber(jobId: string, lock = ''): Steps<number> {
  return numberIn(yield* one<Numbered>(`${numberText} ${lock}`, jobId), jobId)
}

/** The number of a job, read outside a transaction. Throws if the job does not exist. */
export const readJobNumber = async (sql: Sql, jobId: string): Promise<number> =>
  numberIn(await sql.one<Numbered>(numberText, jobId), jobId)

function numberIn(row: Numbered | null, jobId: string): number {
  if (!row) throw unknownJob(jobId)
  return row.job_no
}
