// How long raw pages stay, and when there is too little space to go on.
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
  /** In place of the rule's, where its job or its kind says otherwise. */
  maxAgeMs?: number | undefined
}

/** Which segments are to be deleted, oldest first. */
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

/** `full`: pause, what is in flight still has to be committed. `low`: go on, but what is paused stays paused. */
export type SpaceVerdict = 'enough' | 'low' | 'full'

/** `freeBytes` is null where the backend knows no limit. Two marks, so that a job does not pause and resume all the time. */
export function spaceVerdict(freeBytes: number | null, rule: { minFreeBytes: number }): SpaceVerdict {
  if (freeBytes === null || freeBytes >= 2 * rule.minFreeBytes) return 'enough'
  return freeBytes < rule.minFreeBytes ? 'full' : 'low'
}
