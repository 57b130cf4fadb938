// Changes of a transaction to its jobs: counters, requests per host, next task number. They are collected while it runs and
// written once at its end, so that they match the rows.
import type { Attempt } from '../../model/task.ts'
import { JobCounters } from '../job-counters.ts'
import { PaceCounter } from '../pace-counter.ts'
import type { Durability, WriteJobs } from '../sql/sql.ts'
import { type Brought, StepCounter } from '../step-counter.ts'
import { writeSteps } from './activity.ts'
import type { Connection } from './connection.ts'
import { drive } from './dialect.ts'

export class JobChanges extends JobCounters {
  readonly #connection: Connection
  readonly #paces = new PaceCounter<number>()
  readonly #steps = new StepCounter()
  readonly #nextNumbers = new Map<number, number>()

  constructor(connection: Connection) {
    super()
    this.#connection = connection
  }

  /** Counts an ended attempt for its host. An attempt that sent no request counts only in the timeline, not in the request
   *  counts. */
  tried(jobNo: number, host: { no: number; name: string }, attempt: Attempt, brought: Brought): void {
    this.#paces.add(jobNo, host.no, attempt)
    this.#steps.add(jobNo, host.name, attempt, brought)
  }

  /** The number of the job's next task. */
  nextNumber(jobNo: number): number {
    const known = this.#nextNumbers.get(jobNo)
    if (known !== undefined) return known
    const text = 'SELECT next_n FROM jobs WHERE job_no = ?'
    return this.#connection.one<{ next_n: number }>(text, jobNo)!.next_n
  }

  setNextNumber(jobNo: number, n: number): void {
    this.#nextNumbers.set(jobNo, n)
  }

  write(): void {
    const upsert = this.#connection.prepare(
      `INSERT INTO job_counts (job_no, bucket, value) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET value = value + excluded.value`,
    )
    for (const { job_no, bucket, value } of this.counts()) upsert.run(job_no, bucket, value)
    this.#writePaces()
    writeSteps(this.#connection, this.#steps)
    for (const [jobNo, n] of this.#nextNumbers)
      this.#connection.run('UPDATE jobs SET next_n = ? WHERE job_no = ?', n, jobNo)
  }

  #writePaces(): void {
    const upsert = this.#connection.prepare(
      `INSERT INTO host_paces (job_no, host, requests, first_at, last_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
         first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
    )
    for (const { job_no, host, requests, first_at, last_at } of this.#paces.rows())
      upsert.run(job_no, host, requests, first_at, last_at)
  }
}

/** Runs a write transaction and writes its changes to jobs at its end. */
export function writeJobs<Result>(
  connection: Connection,
  work: (changes: JobChanges) => Result,
  durability?: Durability,
): Result {
  return connection.write(() => {
    const changes = new JobChanges(connection)
    const result = work(changes)
    changes.write()
    return result
  }, durability)
}

/** `writeJobs` for the shared stores. */
export const jobWriter =
  (connection: Connection): WriteJobs =>
  async work =>
    writeJobs(connection, changes => drive(connection, work(changes)))
