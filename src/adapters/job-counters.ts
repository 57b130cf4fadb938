// Counts of a transaction: how it changes the counters of its jobs. They are collected while it runs and written once at its end.
import type { TaskState } from '../model/task.ts'
import type { Bucket } from './job-buckets.ts'

export interface CounterRow {
  job_no: number
  bucket: Bucket
  value: number
}

export class JobCounters {
  readonly #counters = new Map<number, Map<Bucket, number>>()

  count(jobNo: number, bucket: Bucket, by = 1): void {
    const buckets = this.#counters.get(jobNo) ?? new Map<Bucket, number>()
    if (buckets.size === 0) this.#counters.set(jobNo, buckets)
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + by)
  }

  countMove(jobNo: number, from: TaskState, to: TaskState, by = 1): void {
    this.count(jobNo, `state:${from}`, -by)
    this.count(jobNo, `state:${to}`, by)
  }

  /** The counters that change. */
  counts(): CounterRow[] {
    return [...this.#counters]
      .flatMap(([job_no, buckets]) => [...buckets].map(([bucket, value]) => ({ job_no, bucket, value })))
      .filter(({ value }) => value !== 0)
  }
}
