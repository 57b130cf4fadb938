// Decides which raw pages have expired, and whether there is enough free space.
interface RetentionRule {
  /** Raw pages older than this are deleted. 0 means no age limit. */
  maxAgeMs: number
  /** If the raw pages together are larger than this, the oldest are deleted. 0 means no size limit. */
  maxBytes: number
}

export interface Segment {
  key: string
  bytes: number
  modifiedAt: number
  /** True if the job of the segment has not ended. The segment then counts for the size limit, but is not
   *  deleted. */
  inUse: boolean
  /** Overrides the age limit of the rule, for the job or kind of this segment. */
  maxAgeMs?: number | undefined
}

/** Segments to delete, oldest first. */
export function expiredSegments(segments: Segment[], rule: RetentionRule, now: number): Segment[] {
  const oldestAllowed = ({ maxAgeMs = rule.maxAgeMs }: Segment) =>
    maxAgeMs === 0 ? -Infinity : now - maxAgeMs
  let excess = rule.maxBytes === 0 ? 0 : totalBytes(segments) - rule.maxBytes
  const expired: Segment[] = []
  for (const segment of segments.toSorted((a, b) => a.modifiedAt - b.modifiedAt)) {
    if (segment.inUse) continue
    if (segment.modifiedAt >= oldestAllowed(segment) && excess <= 0) continue
    expired.push(segment)
    excess -= segment.bytes
  }
  return expired
}

const totalBytes = (segments: Segment[]): number => segments.reduce((sum, { bytes }) => sum + bytes, 0)

/** `full`: jobs must pause; tasks in flight still commit. `low`: jobs continue, but paused jobs stay paused. */
type SpaceVerdict = 'enough' | 'low' | 'full'

/** `freeBytes` is null if the backend has no limit. Between the two thresholds, jobs neither pause nor resume. So a job
 *  does not pause and resume repeatedly. */
export function spaceVerdict(freeBytes: number | null, rule: { minFreeBytes: number }): SpaceVerdict {
  if (freeBytes === null || freeBytes >= 2 * rule.minFreeBytes) return 'enough'
  return freeBytes < rule.minFreeBytes ? 'full' : 'low'
}
