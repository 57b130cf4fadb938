// How long raw pages stay, and when there is too little space to go on.
import { hasEnded } from '../model/job.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Store } from '../ports/store.ts'
import { jobOfSegment } from './keys.ts'

export interface RetentionRule {
  /** Raw pages older than this go. Null: age does not matter. */
  maxAgeDays: number | null
  /** Above this the oldest go. Null: size does not matter. */
  maxBytes: number | null
}

export interface Segment {
  key: string
  bytes: number
  modifiedAt: number
  /** Of a job that has not ended: counted, never deleted. */
  inUse: boolean
}

const dayMs = 24 * 60 * 60 * 1_000

/** Which segments are to be deleted, oldest first. */
export function expiredSegments(segments: Segment[], rule: RetentionRule, now: number): Segment[] {
  const oldestAllowed = rule.maxAgeDays === null ? -Infinity : now - rule.maxAgeDays * dayMs
  let excess = rule.maxBytes === null ? 0 : totalBytes(segments) - rule.maxBytes
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
  if (rule.maxAgeDays === null && rule.maxBytes === null) return { segments: 0, bytes: 0 }
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

export interface SpaceRule {
  /** Below this a job is paused: what is in flight still has to be committed. */
  minFreeBytes: number
  /** Below this the user is told. */
  warnFreeBytes: number
}

export type SpaceVerdict = 'enough' | 'low' | 'full'

/** `freeBytes` is null where the backend knows no limit. */
export function spaceVerdict(freeBytes: number | null, rule: SpaceRule): SpaceVerdict {
  if (freeBytes === null || freeBytes >= Math.max(rule.warnFreeBytes, rule.minFreeBytes)) return 'enough'
  return freeBytes < rule.minFreeBytes ? 'full' : 'low'
}
