// A job's counters: gathered while a transaction runs, written once at its end, so that they always fit the rows.
import type { JobCounts } from '../../model/job.ts'
import { type Reason, type TaskState, taskStates } from '../../model/task.ts'
import type { Connection } from './connection.ts'

type Bucket = `state:${TaskState}` | `reason:${Reason}` | `refused:${Reason}` | 'records' | 'bytes' | 'pages'

export class CounterChanges {
  readonly #changes = new Map<number, Map<Bucket, number>>()

  add(jobNo: number, bucket: Bucket, by = 1): void {
    const buckets = this.#changes.get(jobNo) ?? new Map<Bucket, number>()
    if (buckets.size === 0) this.#changes.set(jobNo, buckets)
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + by)
  }

  move(jobNo: number, from: TaskState, to: TaskState, by = 1): void {
    this.add(jobNo, `state:${from}`, -by)
    this.add(jobNo, `state:${to}`, by)
  }

  write(connection: Connection): void {
    const upsert = connection.prepare(
      `INSERT INTO job_counts (job_no, bucket, value) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET value = value + excluded.value`,
    )
    for (const [jobNo, buckets] of this.#changes)
      for (const [bucket, by] of buckets) if (by !== 0) upsert.run(jobNo, bucket, by)
  }
}

/** A write whose counter changes are part of it. */
export function countedWrite<Result>(
  connection: Connection,
  work: (counters: CounterChanges) => Result,
  durability?: 'durable' | 'relaxed',
): Result {
  return connection.write(() => {
    const counters = new CounterChanges()
    const result = work(counters)
    counters.write(connection)
    return result
  }, durability)
}

export function readCounts(connection: Connection, jobNo: number): JobCounts {
  const rows = connection.all<{ bucket: string; value: number }>(
    'SELECT bucket, value FROM job_counts WHERE job_no = ? AND value <> 0',
    jobNo,
  )
  const byState = Object.fromEntries(taskStates.map(state => [state, 0])) as Record<TaskState, number>
  const counts: JobCounts = {
    tasks: 0,
    records: 0,
    bytes: 0,
    byState,
    byReason: {},
    pages: 0,
    linksRefused: {},
  }
  for (const { bucket, value } of rows) enter(counts, bucket as Bucket, value)
  counts.tasks = Object.values(byState).reduce((sum, value) => sum + value, 0)
  return counts
}

function enter(counts: JobCounts, bucket: Bucket, value: number): void {
  if (bucket === 'records' || bucket === 'bytes' || bucket === 'pages') {
    counts[bucket] = value
    return
  }
  const colon = bucket.indexOf(':')
  const name = bucket.slice(colon + 1)
  if (bucket.startsWith('state:')) counts.byState[name as TaskState] = value
  else if (bucket.startsWith('reason:')) counts.byReason[name as Reason] = value
  else counts.linksRefused[name as Reason] = value
}
