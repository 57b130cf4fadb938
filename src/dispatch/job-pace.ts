// How fast a job may go at the hosts it has work for, why not faster, and how long the known work takes at that pace.
import type { JobPace, PaceReason } from '../model/policy/pace.ts'
import type { HostTable } from './host-table.ts'
import type { JobLane } from './job-lane.ts'

/** Of the host with the most time to go. Null when nothing is known to wait. */
export function paceOfJob(lane: JobLane, hosts: HostTable, now: number): JobPace | null {
  let perSecond = 0
  let isUnlimited = false
  let slowest: { host: string; leftMs: number; reason: PaceReason } | null = null
  for (const work of lane.works.values()) {
    if (work.count === 0 && work.claims === 0) continue
    const { gapMs, reason } = hosts.paceOf(work.host, lane.ask, now)
    const leftMs = work.count * gapMs
    if (gapMs === 0) isUnlimited = true
    else perSecond += 1_000 / gapMs
    if (slowest === null || leftMs > slowest.leftMs) slowest = { host: work.host, leftMs, reason }
  }
  if (slowest === null) return null
  const { host, leftMs, reason } = slowest
  return {
    perSecond: isUnlimited ? null : perSecond,
    reason: isUnlimited && leftMs === 0 ? 'unlimited' : reason,
    host,
    leftMs,
  }
}
