// Decides when a host may be requested next and what delays it, and applies reservations.
import { fullAfter, nextToken, tokensBetween } from '../lib/collections/token-bucket.ts'
import type { HostEntry } from './host-entry.ts'
import type { Terms } from './host-terms.ts'
import { rateFactorAt } from './slowdown.ts'

/** What a host waits for. If several apply, the longest one. */
export type WaitReason =
  | 'rate'
  | 'in-flight'
  | 'crawl-delay'
  | 'retry-after'
  | 'slowdown'
  | 'breaker'
  | 'hours'
  | 'paused'
  | 'robots'

/** `gapMs` is the booked distance per start; with a `burst` above 1, single starts may be closer. `until` is null if an
 *  event ends the wait (a response, robots.txt, the operator). */
export type Reservation =
  | { ok: true; at: number; gapMs: number; burst: number }
  | { ok: false; until: number | null; reason: WaitReason }

/** A pause with no end: only `resume` lifts it. */
export const forever = Number.MAX_SAFE_INTEGER

/** After its slot, how long a stricter job may take to ask again before others use their own rate. */
const strictSlackMs = 1_000

/** The current rate: the job's terms, the crawl delay, the strictest other job, and a slowdown. */
interface Pace {
  gapMs: number
  burst: number
  limit: number
  reason: 'rate' | 'crawl-delay' | 'slowdown'
}

/** `inFlight`: other requests in flight. */
export function decide(
  entry: HostEntry,
  terms: Terms,
  now: number,
  horizon: number,
  inFlight: number,
): Reservation {
  if (entry.robotsPending && terms.obeysRobots) return { ok: false, until: null, reason: 'robots' }
  const pace = paceOf(entry, terms, now)
  const { at, reason } = earliestStart(entry, pace, now)
  if (at > horizon) return { ok: false, until: at >= forever ? null : at, reason }
  if (!entry.breaker.isClosed && inFlight > 0) return { ok: false, until: null, reason: 'breaker' }
  if (inFlight >= pace.limit) return { ok: false, until: null, reason: 'in-flight' }
  return { ok: true, at, gapMs: pace.gapMs, burst: pace.burst }
}

/** Requests per minute and connection, if each takes a second. */
const perPlace = 60

/** How many requests may start from `now` to `until`, about a minute later. Requests in flight end meanwhile. */
export function startsUntil(entry: HostEntry, terms: Terms, now: number, until: number): number {
  const pace = paceOf(entry, terms, now)
  const { at } = earliestStart(entry, pace, now)
  const starts = Math.min(tokensBetween(at, until, pace.gapMs, pace.burst), pace.limit * perPlace)
  return entry.breaker.isClosed ? starts : Math.min(1, starts)
}

export function paceOf(entry: HostEntry, terms: Terms, now: number): Pace {
  const limit =
    now <= entry.strictLimitUntil ? Math.min(terms.concurrency, entry.strictLimit) : terms.concurrency
  const isShared = now <= entry.strictGapUntil
  const gapMs = Math.max(baseGap(entry, terms), isShared ? entry.strictGapMs : 0)
  const burst = isShared ? Math.min(terms.burst, entry.strictBurst) : terms.burst
  const factor = entry.rateFactor === 1 ? 1 : rateFactorAt(entry, entry.policy.slowdown, now)
  if (factor < 1) return { gapMs: (gapMs || entry.slowGapMs) / factor, burst: 1, limit, reason: 'slowdown' }
  const isCrawlDelay = terms.obeysRobots && entry.crawlDelayMs > 0 && gapMs <= entry.crawlDelay
  return { gapMs, burst: isCrawlDelay ? 1 : burst, limit, reason: isCrawlDelay ? 'crawl-delay' : 'rate' }
}

const baseGap = (entry: HostEntry, terms: Terms): number =>
  terms.obeysRobots ? Math.max(terms.gapMs, entry.crawlDelay) : terms.gapMs

/** The latest of all times, with its reason. */
function earliestStart(entry: HostEntry, pace: Pace, now: number): { at: number; reason: WaitReason } {
  let at = Math.max(now, slotAt(entry, pace))
  let reason: WaitReason = pace.reason
  if (entry.retryAfterUntil > at) {
    at = entry.retryAfterUntil
    reason = 'retry-after'
  }
  if (!entry.breaker.isClosed && entry.breaker.until > at) {
    at = entry.breaker.until
    reason = 'breaker'
  }
  if (entry.pausedUntil > at) {
    at = entry.pausedUntil
    reason = entry.pauseReason?.startsWith('robots') ? 'robots' : 'paused'
  }
  const { stoppedUntil = 0 } = entry.policy
  if (stoppedUntil > at) {
    at = stoppedUntil
    reason = 'paused'
  }
  const open = entry.hours && at < forever ? entry.hours.nextOpen(at) : at
  return open > at ? { at: open, reason: 'hours' } : { at, reason }
}

function slotAt(entry: HostEntry, pace: Pace): number {
  const token = nextToken(entry.fullAt, pace.gapMs, pace.burst)
  // The previous job priced the token; without a burst, the job's own distance applies too.
  return pace.burst === 1 ? Math.max(token, entry.lastAt + pace.gapMs) : token
}

/** Books a start that `decide` allowed. */
export function book(entry: HostEntry, start: { at: number; gapMs: number }): void {
  entry.fullAt = fullAfter(entry.fullAt, start.gapMs, start.at)
  entry.lastAt = Math.max(entry.lastAt, start.at)
  entry.lastGapMs = start.gapMs
  countSecond(entry, start.at)
}

/** Undoes the newest start. An older one stays booked, because later starts would come too close. */
export function unbook(entry: HostEntry, at: number): void {
  if (entry.lastAt !== at) return
  entry.lastAt = at - entry.lastGapMs
  entry.fullAt -= entry.lastGapMs
}

/** The distance counts from when a request really started. */
export function startedLate(entry: HostEntry, startedAt: number): void {
  entry.fullAt = Math.max(entry.fullAt, startedAt + entry.lastGapMs)
  entry.lastAt = Math.max(entry.lastAt, startedAt)
}

function countSecond(entry: HostEntry, at: number): void {
  if (at - entry.secondStartedAt >= 1_000) {
    entry.lastSecondCount = at - entry.secondStartedAt < 2_000 ? entry.secondCount : 0
    entry.secondStartedAt = at
    entry.secondCount = 0
  }
  entry.secondCount += 1
}

/** Requests per second just now, at least one. */
export const recentPace = (entry: HostEntry): number => Math.max(1, entry.secondCount, entry.lastSecondCount)

/** Remembers the terms of a job, so that a looser job respects them while both are active: until its start plus the
 *  distance, until its retry time, or until a response frees the connection. */
export function rememberTerms(entry: HostEntry, terms: Terms, answer: Reservation, now: number): void {
  const until = strictUntil(answer, now)
  const gapMs = baseGap(entry, terms)
  const gapLapsed = now > entry.strictGapUntil
  if (gapLapsed || gapMs >= entry.strictGapMs) {
    entry.strictBurst = gapLapsed ? terms.burst : Math.min(terms.burst, entry.strictBurst)
    entry.strictGapMs = gapMs
    entry.strictGapUntil = gapLapsed ? until : Math.max(until, entry.strictGapUntil)
  }
  const limitLapsed = now > entry.strictLimitUntil
  if (limitLapsed || terms.concurrency <= entry.strictLimit) {
    entry.strictLimit = terms.concurrency
    entry.strictLimitUntil = limitLapsed ? until : Math.max(until, entry.strictLimitUntil)
  }
}

function strictUntil(answer: Reservation, now: number): number {
  if (answer.ok) return answer.at + answer.gapMs
  if (answer.until !== null) return answer.until + strictSlackMs
  return answer.reason === 'in-flight' ? Number.POSITIVE_INFINITY : now
}

/** A connection is free: the waiting job asks again soon, or not at all. */
export function endStrictWait(entry: HostEntry, now: number): void {
  if (entry.strictGapUntil === Number.POSITIVE_INFINITY) entry.strictGapUntil = now + strictSlackMs
  if (entry.strictLimitUntil === Number.POSITIVE_INFINITY) entry.strictLimitUntil = now + strictSlackMs
}
