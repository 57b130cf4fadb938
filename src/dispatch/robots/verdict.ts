// Decides what a response to the robots.txt request means, and how long this is valid (RFC 9309, section 2.3.1).
import type { RobotsEntry } from '../../model/host.ts'
import type { RobotsReport } from '../../model/lane.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Minimum cache time. Without it, a file with `no-cache` would be requested before every page. */
const leastMs = 5 * minuteMs
/** The retry interval for a failing server, for the first `soonTries` tries. It is longer afterwards. */
const soonMs = 5 * minuteMs
const soonTries = 3
/** The first retry interval if there was no response. It is short, because the cause may be a short problem of our own network. */
const unansweredMs = 10_000

export function robotsVerdict(
  report: Pick<RobotsReport, 'origin' | 'status' | 'body' | 'maxAgeMs' | 'failure'>,
  kept: RobotsEntry | null,
  now: number,
): RobotsEntry {
  const { origin, status } = report
  const entry = { origin, status, fetchedAt: now }
  if (isGood(report)) {
    const expiresAt = now + clamp(report.maxAgeMs ?? dayMs, leastMs, dayMs)
    return { ...entry, expiresAt, verdict: 'parsed', body: report.body, failures: 0 }
  }
  if (isUnavailable(report)) {
    const isGone = status === 404 || status === 410
    return {
      ...entry,
      expiresAt: now + (isGone ? dayMs : hourMs),
      verdict: 'unavailable',
      body: '',
      failures: 0,
    }
  }
  const failures = (kept?.failures ?? 0) + 1
  const expiresAt = now + askAgainMs(failures, status)
  // Keep the last good copy for display. Its rules do not apply: while the file is unreachable, nothing is allowed.
  return { ...entry, expiresAt, verdict: 'unreachable', body: kept?.body ?? '', failures }
}

function askAgainMs(failures: number, status: number | null): number {
  if (status === null && failures <= soonTries) return unansweredMs
  return failures <= (status === null ? 2 * soonTries : soonTries) ? soonMs : hourMs
}

type Answer = Pick<RobotsReport, 'status' | 'failure'>

const isGood = ({ status, failure }: Answer): boolean =>
  failure === null && status !== null && status >= 200 && status < 300

/** Whether the site has no robots.txt, so that everything is allowed. A 429 does not count: it means an overloaded server. */
function isUnavailable({ status, failure }: Answer): boolean {
  if (failure?.code === 'redirect.too-many' || failure?.code === 'redirect.bad') return true
  return status !== null && status >= 300 && status < 500 && status !== 429
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)
