// Summarizes what jobs wait for: each reason with its number of hosts and tasks.
import type { WaitCause } from '../model/policy/waits.ts'
import type { HostTable } from './host-table.ts'
import type { JobLane } from './job-lane.ts'

export interface Wait {
  /** Why the tasks wait. The reason is a property of the host, or of the job: its rate, its hours, a pause, its limits or
   *  its concurrency. */
  reason: WaitCause
  hosts: number
  tasks: number
  /** When the first of these hosts may be requested; null if that depends on an event. */
  nextAt: number | null
  exampleHost: string
}

export type WaitSummary = Wait[]

/** Counts of tasks for metrics. Every reason has a number, even 0. */
export interface WorkCounts {
  /** Tasks that could start now. */
  due: number
  waiting: Record<Wait['reason'], number>
}

const noWork = (): WorkCounts => ({
  due: 0,
  waiting: {
    ...{ rate: 0, 'in-flight': 0, 'crawl-delay': 0, 'retry-after': 0, slowdown: 0, breaker: 0, hours: 0 },
    ...{ paused: 0, robots: 0, 'job-rate': 0, 'job-hours': 0, 'job-paused': 0, 'job-limit': 0 },
    'proxy-rest': 0,
  },
})

/** Adds the counts of several coordinators. Each counts its own tasks. */
export function joinWork(parts: readonly WorkCounts[]): WorkCounts {
  const all = noWork()
  for (const { due, waiting } of parts) {
    all.due += due
    for (const [reason, tasks] of Object.entries(waiting)) all.waiting[reason as Wait['reason']] += tasks
  }
  return all
}

/** The counts of `tasks` waiting tasks, divided by the reasons in `waits`. Tasks in flight are not included. */
export function workCountsOf(tasks: number, waits: WaitSummary): WorkCounts {
  const counts = noWork()
  for (const wait of waits) counts.waiting[wait.reason] += wait.tasks
  counts.due = waits.reduce((left, wait) => left - wait.tasks, tasks)
  return counts
}

interface OneWait {
  reason: Wait['reason']
  until: number | null
}

export function summarize(lanes: Iterable<JobLane>, hosts: HostTable, now: number): WaitSummary {
  const waits = new Map<Wait['reason'], Wait>()
  for (const lane of lanes) {
    const ofJob = jobWait(lane, now)
    for (const work of lane.works.values()) {
      if (work.count === 0) continue
      const wait = ofJob ?? hosts.waitOf(work.host, now, lane.ask) ?? proxyWait(lane, work.host, now)
      if (wait) addTo(waits, wait, work)
    }
  }
  return [...waits.values()].sort((a, b) => b.tasks - a.tasks)
}

function jobWait(lane: JobLane, now: number): OneWait | null {
  const { suspendedUntil } = lane
  if (suspendedUntil > now) {
    return { reason: 'job-paused', until: Number.isFinite(suspendedUntil) ? suspendedUntil : null }
  }
  if (lane.allowance() <= 0) return { reason: 'job-limit', until: null }
  const openAt = lane.openAt(now)
  if (openAt > now) return { reason: 'job-hours', until: openAt }
  const tokenAt = lane.bucket.earliest(now)
  return tokenAt > now ? { reason: 'job-rate', until: tokenAt } : null
}

/** The wait for an identity: the host is available, but all identities for this host rest. Null if an identity is available. */
function proxyWait({ job }: JobLane, host: string, now: number): OneWait | null {
  const until = job.identities?.readyAt(host, now) ?? now
  return until > now ? { reason: 'proxy-rest', until } : null
}

function addTo(waits: Map<Wait['reason'], Wait>, wait: OneWait, work: { host: string; count: number }): void {
  const known = waits.get(wait.reason)
  if (!known) {
    const { reason, until } = wait
    waits.set(reason, { reason, hosts: 1, tasks: work.count, nextAt: until, exampleHost: work.host })
    return
  }
  known.hosts += 1
  known.tasks += work.count
  if (wait.until !== null) known.nextAt = Math.min(known.nextAt ?? wait.until, wait.until)
}
