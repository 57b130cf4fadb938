// What stores count of a job: the same on every backend.
import type { JobCounts } from '../model/job.ts'
import { type Reason, type TaskState, taskStates } from '../model/task.ts'

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

export type Bucket = `state:${TaskState}` | `reason:${Reason}` | `refused:${Reason}` | PlainBucket

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
}

/** What one of several has set aside of the job's budget of pages. */
export const shareBucket = (of: number): string => `share:${of}`

/** What it may have: all shares and the pages that succeeded are no more than the budget. */
export function shareOf(
  rows: ReadonlyArray<{ bucket: string; value: number }>,
  { of, among, wanted, most }: { of: number; among: number; wanted: number; most: number },
): number {
  const others = Array.from({ length: among }, (_, index) => index).filter(index => index !== of)
  const counted = new Set(['pages', ...others.map(shareBucket)])
  const taken = rows.filter(({ bucket }) => counted.has(bucket))
  const left = most - taken.reduce((sum, { value }) => sum + value, 0)
  return Math.max(0, Math.min(wanted, left))
}
