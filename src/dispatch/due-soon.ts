// Counts tasks that may start soon, by job and host. Autoscalers derive the number of workers from it.
import type { HostTable } from './host-table.ts'
import type { JobLane } from './job-lane.ts'

export interface DueSoon {
  jobId: string
  host: string
  /** Tasks that may start within the span. */
  count: number
  /** All runnable tasks of the job at this host. */
  known: number
}

/** A time span in epoch ms. */
export interface Span {
  now: number
  until: number
}

/** The tasks of a job that may start within the span. `later` gives the number of stored tasks per host that become due within
 *  the span and that the dispatcher does not know yet. */
export function* dueSoon(
  lane: JobLane,
  hosts: HostTable,
  span: Span,
  later: ReadonlyMap<string, number>,
): Generator<DueSoon> {
  let left = startsOfJob(lane, span)
  for (const [host, known] of knownTasks(lane, later)) {
    if (left <= 0) return
    const count = Math.min(left, known, startsAt(lane, host, hosts, span))
    left -= count
    if (count > 0) yield { jobId: lane.job.id, host, count, known }
  }
}

function* knownTasks(lane: JobLane, later: ReadonlyMap<string, number>): Generator<[string, number]> {
  for (const { host, count } of lane.works.values()) {
    const known = count + (later.get(host) ?? 0)
    if (known > 0) yield [host, known]
  }
  for (const [host, count] of later) if (!lane.works.has(host)) yield [host, count]
}

function startsOfJob(lane: JobLane, { now, until }: Span): number {
  const from = lane.openAt(Math.max(now, lane.suspendedUntil))
  return from > until ? 0 : lane.bucket.tokensUntil(from, until)
}

function startsAt({ job, ask }: JobLane, host: string, hosts: HostTable, { now, until }: Span): number {
  const ready = job.identities?.readyAt(host, now) ?? now
  return ready > until ? 0 : hosts.startsUntil(host, Math.max(now, ready), until, ask)
}
