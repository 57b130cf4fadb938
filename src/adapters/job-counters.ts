// Collects the counter changes of a transaction, by job. The store writes them once, at the end of the transaction.
import type { TaskWay } from '../model/policy/way.ts'
import type { Reason, TaskKind, TaskState } from '../model/task.ts'
import type { Settlement } from '../ports/store.ts'
import type { Bucket } from './job-buckets.ts'

interface CounterRow {
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

  /** The counters that change, with the amounts to add. */
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

  /** Corrects the counters after a re-extraction changed the outcome of a task. `before` is the reason of the earlier
   *  outcome. */
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
