// What an answer to the question for robots.txt means, and for how long: the table of RFC 9309, 2.3.1.
import type { RobotsEntry } from '../../model/host.ts'
import type { RobotsReport } from '../../model/lane.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A file that may not be cached at all would be asked for before every page. */
const leastMs = 5 * minuteMs
/** An ill server is asked again soon, then with patience. */
const soonMs = 5 * minuteMs
const soonTries = 3
/** Without any answer (no route, refused, cut off) it may be our own side: that can be over in a moment. */
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
  // The last good copy stays for people to see; nothing is allowed by it while the file is unreachable.
  return { ...entry, expiresAt, verdict: 'unreachable', body: kept?.body ?? '', failures }
}

function askAgainMs(failures: number, status: number | null): number {
  if (status === null && failures <= soonTries) return unansweredMs
  return failures <= (status === null ? 2 * soonTries : soonTries) ? soonMs : hourMs
}

type Answer = Pick<RobotsReport, 'status' | 'failure'>

const isGood = ({ status, failure }: Answer): boolean =>
  failure === null && status !== null && status >= 200 && status < 300

/** "No such file" in its many forms: then everything is allowed. 429 is none of them, it is a server in trouble. */
function isUnavailable({ status, failure }: Answer): boolean {
  if (failure?.code === 'redirect.too-many' || failure?.code === 'redirect.bad') return true
  return status !== null && status >= 300 && status < 500 && status !== 429
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)
