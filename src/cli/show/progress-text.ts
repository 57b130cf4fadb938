// Formats progress as text: state, rate, hosts, and what the job waits for.
import { countOf, formatDuration } from '../../lib/text/units.ts'
import type { JobCounts } from '../../model/job.ts'
import { type JobPace, paceText, roughly } from '../../model/policy/pace.ts'
import { waitText } from '../../model/policy/waits.ts'
import type { Progress } from '../../roles/engine.ts'

export const doneOf = ({ byState }: JobCounts): number =>
  byState.succeeded + byState.failed + byState.skipped + byState.cancelled

/** The parts of the text. Several parts may share a line. */
export function progressParts(progress: Progress, rate: number): string[] {
  const { job, counts, inFlight, hosts, pace } = progress
  const reason = job.reason ? `: ${job.reason}` : ''
  const end = knownEnd(progress)
  return [
    job.state === 'running' ? job.id : `${job.id} [${job.state}${reason}]`,
    end ? `${bar(end)} ${end.done} of ${end.total}` : `done ${doneOf(counts)} / found ${counts.tasks}`,
    countOf(counts.records, 'record'),
    ...(counts.rendered > 0 ? [`${counts.rendered} in a browser`] : []),
    ...rateText(rate),
    ...(pace ? [paceText(pace)] : []),
    ...leftText(progress, end, rate),
    countOf(hosts, 'host'),
    `${inFlight} in flight`,
  ]
}

interface KnownEnd {
  done: number
  total: number
}

/** The end of the job, if it is known. A list ends with its rows, and a crawl that found enough URLs ends at `max_pages`. Any
 *  other crawl may find more. */
function knownEnd({ job, counts }: Progress): KnownEnd | null {
  const { kind, spec, ingest } = job
  if (kind === 'list' && ingest.done && counts.tasks > 1) return { done: doneOf(counts), total: counts.tasks }
  if (kind !== 'crawl' || spec.maxPages === undefined || counts.tasks < spec.maxPages) return null
  return { done: Math.min(counts.pages, spec.maxPages), total: spec.maxPages }
}

const barCells = 20

/** A progress bar: `[██████░░░░] 60%`. */
function bar({ done, total }: KnownEnd): string {
  const share = Math.min(1, done / total)
  const full = Math.floor(share * barCells)
  return `[${'█'.repeat(full)}${'░'.repeat(barCells - full)}] ${Math.floor(share * 100)}%`
}

/** The rate as text. If the rate per second would round to zero, the rate is shown per minute. A rate of exactly zero is left
 *  out. */
function rateText(rate: number): string[] {
  if (rate >= 0.1) return [`${rate.toFixed(1)} pages/s`]
  return rate * 60 >= 0.1 ? [`${(rate * 60).toFixed(1)} pages/min`] : []
}

/** The remaining time. For a crawl with `max_pages`, the pace counts URLs that will not be fetched, so it is not used. */
function leftText({ job, pace }: Progress, end: KnownEnd | null, rate: number): string[] {
  const isBounded = end !== null && job.kind === 'crawl'
  const paced = pace && pace.perSecond !== null && !isBounded ? pace.leftMs : 0
  const measured = end && rate > 0 ? ((end.total - end.done) / rate) * 1_000 : 0
  const leftMs = Math.max(paced, measured)
  if (end) return leftMs >= 1_000 ? [`about ${formatDuration(roughly(leftMs))} left`] : []
  return leftMs >= 60_000 ? [`at least ${formatDuration(roughly(leftMs))} to go`] : []
}

/** The three most frequent waits, then the retries. Empty if no task waits. */
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

/** Joins parts to lines of this width. Cuts a part that is longer than a line. */
export function fitted(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const joined = lines.length > 0 ? lines.at(-1) + separator + part : part
    if (lines.length > 0 && joined.length <= width) lines[lines.length - 1] = joined
    else lines.push(part)
  }
  return lines.map(line => (line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line))
}

/** Cuts text in the middle, because the host and the last part of a URL are the most useful parts. */
export function shortened(text: string, width: number): string {
  if (text.length <= width) return text
  const head = Math.ceil((width - 1) / 2)
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`
}
