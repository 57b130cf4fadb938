// Maps job ids to the numbers in rows.
import { unknownJob } from '../store-failures.ts'
import type { Connection } from './connection.ts'

function findJobNumber(connection: Connection, jobId: string): number | null {
  const row = connection.one<{ job_no: number }>('SELECT job_no FROM jobs WHERE id = ?', jobId)
  return row?.job_no ?? null
}

export function jobNumber(connection: Connection, jobId: string): number {
  const jobNo = findJobNumber(connection, jobId)
  if (jobNo === null) throw unknownJob(jobId)
  return jobNo
}

/** Looks up each job once per group commit. Null for deleted jobs. */
export function jobLookup(connection: Connection): (jobId: string) => number | null {
  const known = new Map<string, number | null>()
  return jobId => {
    const found = known.get(jobId)
    if (found !== undefined) return found
    const jobNo = findJobNumber(connection, jobId)
    known.set(jobId, jobNo)
    return jobNo
  }
}

/** Returns a function that maps job numbers to job ids. The result for a deleted job is empty. */
export function jobIdLookup(connection: Connection): (jobNo: number) => string {
  const known = new Map<number, string>()
  return jobNo => {
    const found = known.get(jobNo)
    if (found !== undefined) return found
    const row = connection.one<{ id: string }>('SELECT id FROM jobs WHERE job_no = ?', jobNo)
    known.set(jobNo, row?.id ?? '')
    return row?.id ?? ''
  }
}
