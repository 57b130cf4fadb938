// Progress as text: state, rate, hosts, and what the job waits for.
import { formatDuration } from '../../lib/text/units.ts'
import type { JobCounts } from '../../model/job.ts'
import { type JobPace, paceText, roughly } from '../../model/policy/pace.ts'
import { waitText } from '../../model/policy/waits.ts'
import type { Progress } from '../../roles/engine.ts'

export const doneOf = ({ byState }: JobCounts): number =>
  byState.succeeded + byState.failed + byState.skipped + byState.cancelled

export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The parts of the text, which may share a line. */
export function progressParts({ job, counts, inFlight, hosts, pace }: Progress, rate: number): string[] {
  const reason = job.reason ? `: ${job.reason}` : ''
  return [
    job.state === 'running' ? job.id : `${job.id} [${job.state}${reason}]`,
    `done ${doneOf(counts)} / found ${counts.tasks}`,
    countOf(counts.records, 'record'),
    ...(counts.rendered > 0 ? [`${counts.rendered} in a browser`] : []),
    ...(rate > 0 ? [`${rate.toFixed(1)} pages/s`] : []),
    ...(pace ? [paceText(pace)] : []),
    ...(pace && pace.leftMs >= 60_000 ? [`at least ${formatDuration(roughly(pace.leftMs))} to go`] : []),
    countOf(hosts, 'host'),
    `${inFlight} in flight`,
  ]
}

/** The three most frequent waits, then retries. Empty if nothing waits. */
export function waitingParts({ waiting, retries }: Progress, now: number): string[] {
  const parts = waiting
    .slice(0, 3)
    .map(wait => `${wait.tasks} for ${waitText(wait.reason, wait)}${untilText(wait.nextAt, now)}`)
  if (retries.tasks > 0) parts.push(`${retries.tasks} to retry${untilText(retries.nextAt, now)}`)
  return parts
}

const untilText = (at: number | null, now: number): string =>
  at !== null && at - now > 1_500 ? `, ${formatDuration(Math.round((at - now) / 1_000) * 1_000)} more` : ''

export const progressFacts = (
  { job, counts, inFlight, hosts, waiting, retries, pace }: Progress,
  rate: number,
) => ({
  job_id: job.id,
  state: job.state,
  reason: job.reason,
  done: doneOf(counts),
  found: counts.tasks,
  records: counts.records,
  rendered: counts.rendered,
  pages_per_second: Math.round(rate * 10) / 10,
  hosts,
  in_flight: inFlight,
  waiting: waiting.map(wait => ({
    ...{ reason: wait.reason, hosts: wait.hosts, tasks: wait.tasks },
    why: waitText(wait.reason, wait),
    next_at: wait.nextAt === null ? null : new Date(wait.nextAt).toISOString(),
  })),
  retries: retries.tasks,
  pace: paceFacts(pace),
})

export const paceFacts = (pace: JobPace | null) =>
  pace && {
    ...{ per_second: pace.perSecond, reason: pace.reason, why: paceText(pace) },
    ...{ slowest_host: pace.host, pages: pace.pages, seconds_left: Math.ceil(pace.leftMs / 1_000) },
  }

/** Joins parts to lines that fit; cuts a part that is longer than a line. */
export function fitted(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const joined = lines.length > 0 ? lines.at(-1) + separator + part : part
    if (lines.length > 0 && joined.length <= width) lines[lines.length - 1] = joined
    else lines.push(part)
  }
  return lines.map(line => (line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line))
}
