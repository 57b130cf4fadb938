// The rate of a job at its hosts, what limits it, and the duration of its known work.
import type { JobPace, PaceReason } from '../model/policy/pace.ts'
import type { HostTable } from './host-table.ts'
import type { JobLane } from './job-lane.ts'

/** Work at one host, and the interval between its requests. */
export interface HostWork {
  host: string
  pages: number
  gapMs: number
  reason: PaceReason
}

export const paceOfJob = (lane: JobLane, hosts: HostTable, now: number): JobPace | null =>
  paceOf(worksOf(lane, hosts, now))

function* worksOf(lane: JobLane, hosts: HostTable, now: number): Generator<HostWork> {
  for (const { host, count, claims } of lane.works.values())
    if (count > 0 || claims > 0) yield { host, pages: count, ...hosts.paceOf(host, lane.ask, now) }
}

/** The rate of a job, and the duration of its known work at the host that needs the most time. Null if no task waits. */
export function paceOf(works: Iterable<HostWork>): JobPace | null {
  let perSecond = 0
  let isUnlimited = false
  let slowest: Pick<JobPace, 'host' | 'pages' | 'leftMs' | 'reason'> | null = null
  for (const { host, pages, gapMs, reason } of works) {
    const leftMs = pages * gapMs
    if (gapMs === 0) isUnlimited = true
    else perSecond += 1_000 / gapMs
    if (slowest === null || leftMs > slowest.leftMs) slowest = { host, pages, leftMs, reason }
  }
  if (slowest === null) return null
  const reason = isUnlimited && slowest.leftMs === 0 ? 'unlimited' : slowest.reason
  return { ...slowest, perSecond: isUnlimited ? null : perSecond, reason }
}
