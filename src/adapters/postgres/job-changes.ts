// Changes of a transaction to its jobs: rows, counters, requests per host, next task number. They are collected while it runs and
// written once at its end.
import type { Attempt } from '../../model/task.ts'
import { JobCounters } from '../job-counters.ts'
import { PaceCounter } from '../pace-counter.ts'
import type { WriteJobs } from '../sql/sql.ts'
import { type Brought, StepCounter } from '../step-counter.ts'
import { jobHours, jobSteps } from './activity.ts'
import { type BulkWrite, BulkWrites, type Gatherer } from './bulk-writes.ts'
import type { Database, Queries, Transaction } from './database.ts'
import { drive } from './dialect.ts'
import { keptRecords } from './store-records.ts'

export interface LockedJob {
  jobNo: number
  nextN: number
}

export class JobChanges extends JobCounters implements Gatherer {
  readonly #writes = new BulkWrites()
  readonly #paces = new PaceCounter<string>()
  readonly #steps = new StepCounter()
  readonly #nextNumbers = new Map<number, number>()

  /** Counts an ended attempt for its host. An attempt that sent no request counts only in the timeline, not in the request
   *  counts. */
  tried(jobNo: number, host: string, attempt: Attempt, brought: Brought): void {
    this.#paces.add(jobNo, host, attempt)
    this.#steps.add(jobNo, host, attempt, brought)
  }

  setNextNumber(jobNo: number, n: number): void {
    this.#nextNumbers.set(jobNo, n)
  }

  /** Adds rows that are written at the end of the transaction. The transaction must not read these rows before its end. */
  readonly add: Gatherer['add'] = (write, rows) => this.#writes.add(write, rows)

  /** Writes all changes in one statement. */
  write(queries: Transaction): void {
    const numbers = [...this.#nextNumbers].map(([job_no, next_n]) => ({ job_no, next_n }))
    if (numbers.length > 0) this.add(nextNumbers, numbers)
    const paces = this.#paces.rows()
    if (paces.length > 0) this.add(hostPaces, paces)
    const steps = this.#steps.steps()
    if (steps.length > 0) {
      this.add(jobSteps, steps)
      this.add(jobHours, this.#steps.hours())
    }
    const counts = this.counts()
    if (this.#writes.has(keptRecords)) this.add(countsWithRecords, counts)
    else if (counts.length > 0) this.add(plainCounts, counts)
    this.#writes.send(queries, heldShortly)
  }
}

const nextNumbers = {
  name: 'next_numbers',
  columns: { job_no: 'bigint', next_n: 'bigint' },
  text: numbers => `UPDATE jobs j SET next_n = r.next_n FROM ${numbers} WHERE j.job_no = r.job_no`,
} satisfies BulkWrite

const hostPaces = {
  name: 'paces',
  columns: { job_no: 'bigint', host: 'text', requests: 'bigint', first_at: 'bigint', last_at: 'bigint' },
  text: paces =>
    `INSERT INTO host_paces AS p (job_no, host, requests, first_at, last_at)
     SELECT job_no, host, requests, first_at, last_at FROM ${paces} ORDER BY job_no, host
     ON CONFLICT (job_no, host) DO UPDATE SET requests = p.requests + excluded.requests,
       first_at = least(p.first_at, excluded.first_at), last_at = greatest(p.last_at, excluded.last_at)`,
} satisfies BulkWrite

/** SQL that adds rows of `job_no`, `bucket` and `value` to the counters. The rows are sorted, so that two transactions never
 *  deadlock. */
export const addToCounts = (counted: string): string =>
  `INSERT INTO job_counts (job_no, bucket, value)
   SELECT job_no, bucket, sum(value)::bigint FROM (${counted}) c GROUP BY job_no, bucket ORDER BY job_no, bucket
   ON CONFLICT (job_no, bucket) DO UPDATE SET value = job_counts.value + excluded.value`

const plainCounts = {
  name: 'counts',
  columns: { job_no: 'bigint', bucket: 'text', value: 'bigint' },
  text: counts => addToCounts(`SELECT job_no, bucket, value FROM ${counts}`),
} satisfies BulkWrite

/** Adds the counters and the number of new records, which only this statement knows. */
const countsWithRecords = {
  ...plainCounts,
  text: counts =>
    addToCounts(
      `SELECT job_no, bucket, value FROM ${counts}
       UNION ALL SELECT job_no, 'records', count(*) FROM ${keptRecords.name} GROUP BY job_no`,
    ),
} satisfies BulkWrite

/** The parts for new records and counters. They run last, so that claims of tasks wait only shortly for the locked counters. */
const heldShortly: readonly BulkWrite[] = [keptRecords, countsWithRecords, plainCounts]

/** Runs a transaction and writes its changes to jobs at its end. */
export function writeJobs<Result>(
  database: Database,
  work: (queries: Transaction, changes: JobChanges) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async queries => {
    const changes = new JobChanges()
    const result = await work(queries, changes)
    changes.write(queries)
    return result
  })
}

/** `writeJobs` for the shared stores. */
export const jobWriter =
  (database: Database): WriteJobs =>
  work =>
    writeJobs(database, (queries, changes) => drive(queries, work(changes)))

/** Locks these jobs until the transaction ends. Deleted jobs are missing in the result. */
export async function lockJobs(queries: Queries, jobIds: Iterable<string>): Promise<Map<string, LockedJob>> {
  const rows = await queries.all<{ id: string; job_no: number; next_n: number }>(
    'SELECT id, job_no, next_n FROM jobs WHERE id = ANY($1::text[]) ORDER BY job_no FOR UPDATE',
    [...new Set(jobIds)],
  )
  return new Map(rows.map(({ id, job_no: jobNo, next_n: nextN }) => [id, { jobNo, nextN }]))
}
