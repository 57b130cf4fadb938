// How long raw pages stay, and when there is too little space to go on.
import { hasEnded } from '../model/job.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Store } from '../ports/store.ts'
import { jobOfSegment } from './keys.ts'

export interface RetentionRule {
  /** Raw pages older than this go; 0 when age does not matter. */
  maxAgeMs: number
  /** Above this the oldest go; 0 when size does not matter. */
  maxBytes: number
}

export interface Segment {
  key: string
  bytes: number
  modifiedAt: number
  /** Of a job that has not ended: counted, never deleted. */
  inUse: boolean
}

/** Which segments are to be deleted, oldest first. */
export function expiredSegments(segments: Segment[], rule: RetentionRule, now: number): Segment[] {
  const oldestAllowed = rule.maxAgeMs === 0 ? -Infinity : now - rule.maxAgeMs
  let excess = rule.maxBytes === 0 ? 0 : totalBytes(segments) - rule.maxBytes
  const expired: Segment[] = []
  for (const segment of segments.toSorted((a, b) => a.modifiedAt - b.modifiedAt)) {
    if (segment.inUse) continue
    if (segment.modifiedAt >= oldestAllowed && excess <= 0) continue
    expired.push(segment)
    excess -= segment.bytes
  }
  return expired
}

/** Applies the rule once. Records stay; only the pages behind them go. */
export async function applyRetention(
  parts: { store: Pick<Store, 'jobs'>; blobs: Blobs },
  rule: RetentionRule,
  now: number,
): Promise<{ segments: number; bytes: number }> {
  if (rule.maxAgeMs === 0 && rule.maxBytes === 0) return { segments: 0, bytes: 0 }
  const expired = expiredSegments(await segmentsOf(parts), rule, now)
  if (expired.length > 0) await parts.blobs.delete(expired.map(segment => segment.key))
  return { segments: expired.length, bytes: totalBytes(expired) }
}

async function segmentsOf({
  store,
  blobs,
}: {
  store: Pick<Store, 'jobs'>
  blobs: Blobs
}): Promise<Segment[]> {
  const inUse = new Map<string, boolean>()
  const segments: Segment[] = []
  for await (const object of blobs.list('jobs/')) {
    const jobId = jobOfSegment(object.key)
    if (jobId === null) continue
    if (!inUse.has(jobId)) inUse.set(jobId, await isOpen(store, jobId))
    segments.push({ ...object, inUse: inUse.get(jobId)! })
  }
  return segments
}

async function isOpen(store: Pick<Store, 'jobs'>, jobId: string): Promise<boolean> {
  const job = await store.jobs.get(jobId)
  return job !== null && !hasEnded(job.state)
}

const totalBytes = (segments: Segment[]): number => segments.reduce((sum, { bytes }) => sum + bytes, 0)

/** `full`: pause, what is in flight still has to be committed. `low`: go on, but what is paused stays paused. */
export type SpaceVerdict = 'enough' | 'low' | 'full'

/** `freeBytes` is null where the backend knows no limit. Two marks, so that a job does not pause and resume all the time. */
export function spaceVerdict(freeBytes: number | null, rule: { minFreeBytes: number }): SpaceVerdict {
  if (freeBytes === null || freeBytes >= 2 * rule.minFreeBytes) return 'enough'
  return freeBytes < rule.minFreeBytes ? 'full' : 'low'
}
