// Counts of a transaction: how it changes the counters of its jobs. They are collected while it runs and written once at its end.
import type { TaskWay } from '../model/policy/way.ts'
import type { Reason, TaskKind, TaskState } from '../model/task.ts'
import type { Settlement } from '../ports/store.ts'
import type { Bucket } from './job-buckets.ts'

export interface CounterRow {
  job_no: number
  bucket: Bucket
  value: number
}

interface Ending {
  from: TaskState
  to: TaskState
  reason: Reason
  kind: TaskKind
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

  /** Counts the end of an attempt. `to` and `reason` are the outcome after the comparison of page identities. */
  countEnding(jobNo: number, { from, to, reason, kind }: Ending, settlement: Settlement): void {
    const { history, exactlyParsed, warnings = {} } = settlement
    this.countMove(jobNo, from, to)
    this.count(jobNo, 'bytes', history.bytes)
    if (history.way === 'browser') this.count(jobNo, 'browserMs', history.endedAt - history.startedAt)
    if (exactlyParsed) this.count(jobNo, 'exactlyParsed')
    if (to !== 'pending') this.count(jobNo, `reason:${reason}`)
    if (to !== 'succeeded') return
    for (const [code, count] of Object.entries(warnings)) this.count(jobNo, `warned:${code}`, count)
    this.#countPage(jobNo, kind, history.way)
  }

  /** Counts a task that had ended with the reason `before`, and gets another end by a re-extraction. */
  countRescue(jobNo: number, { from, to, reason, kind }: Ending, before: Reason, way: TaskWay): void {
    this.countMove(jobNo, from, to)
    this.count(jobNo, `reason:${before}`, -1)
    this.count(jobNo, `reason:${reason}`)
    if (to === 'succeeded') this.#countPage(jobNo, kind, way)
  }

  #countPage(jobNo: number, kind: TaskKind, way: TaskWay): void {
    if (kind === 'page') this.count(jobNo, 'pages')
    if (way === 'browser') this.count(jobNo, 'rendered')
  }
}
