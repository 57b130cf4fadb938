// Counters of a job, with the same names in every store.
import type { JobCounts } from '../model/job.ts'
import { type Reason, type TaskState, taskStates } from '../model/task.ts'
import type { BudgetShare } from '../ports/store.ts'

const plainBuckets = [
  'records',
  'bytes',
  'pages',
  'exactlyParsed',
  'rendered',
  'browserMs',
  'llmTokens',
] as const
type PlainBucket = (typeof plainBuckets)[number]

export type Bucket =
  | `state:${TaskState}`
  | `reason:${Reason}`
  | `refused:${Reason}`
  | `warned:${string}`
  | PlainBucket

export function countsOf(rows: ReadonlyArray<{ bucket: string; value: number }>): JobCounts {
  const byState = Object.fromEntries(taskStates.map(state => [state, 0])) as Record<TaskState, number>
  const counts: JobCounts = {
    tasks: 0,
    records: 0,
    bytes: 0,
    exactlyParsed: 0,
    rendered: 0,
    browserMs: 0,
    llmTokens: 0,
    byState,
    byReason: {},
    pages: 0,
    linksRefused: {},
    warnings: {},
  }
  for (const { bucket, value } of rows) enter(counts, bucket as Bucket, value)
  counts.tasks = Object.values(byState).reduce((sum, value) => sum + value, 0)
  return counts
}

const isPlain = (bucket: Bucket): bucket is PlainBucket =>
  (plainBuckets as readonly Bucket[]).includes(bucket)

function enter(counts: JobCounts, bucket: Bucket, value: number): void {
  if (isPlain(bucket)) {
    counts[bucket] = value
    return
  }
  const colon = bucket.indexOf(':')
  const name = bucket.slice(colon + 1)
  if (bucket.startsWith('state:')) counts.byState[name as TaskState] = value
  else if (bucket.startsWith('reason:')) counts.byReason[name as Reason] = value
  else if (bucket.startsWith('refused:')) counts.linksRefused[name as Reason] = value
  else if (bucket.startsWith('warned:')) counts.warnings[name] = value
}

/** The name of the counter for the pages that one coordinator has reserved from the job's page limit. */
export const shareBucket = (of: number): string => `share:${of}`

/** The new reservation of one coordinator. All reservations plus succeeded pages never exceed the page limit. */
export function shareOf(
  rows: ReadonlyArray<{ bucket: string; value: number }>,
  { of, among, held, ahead, most }: BudgetShare,
): number {
  const values = new Map(rows.map(({ bucket, value }) => [bucket, value]))
  const others = Array.from({ length: among }, (_, index) => index).filter(index => index !== of)
  const taken = ['pages', ...others.map(shareBucket)].reduce((sum, name) => sum + (values.get(name) ?? 0), 0)
  // `taken` may be too high: a page that has succeeded may still be in the reservation of another coordinator. Even then, tasks
  // in flight of this coordinator keep their reservation.
  const kept = Math.min(values.get(shareBucket(of)) ?? 0, held)
  return Math.max(kept, Math.min(held + ahead, most - taken), 0)
}
