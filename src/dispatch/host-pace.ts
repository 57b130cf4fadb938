// Decides when a host may be requested next and what delays it, and applies reservations.
import { fullAfter, nextToken, tokensBetween } from '../lib/collections/token-bucket.ts'
import type { HostEntry } from './host-entry.ts'
import type { Terms } from './host-terms.ts'
import { rateFactorAt } from './slowdown.ts'

/** Why a host cannot be requested now. If several reasons apply, this is the reason with the longest wait. */
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

/** A reserved slot, or the reason to wait. `gapMs` is the average interval between slots; with a `burst` above 1, slots may be
 *  closer. `until` is null if only an event ends the wait: a response, robots.txt, or the operator. */
export type Reservation =
  | { ok: true; at: number; gapMs: number; burst: number }
  | { ok: false; until: number | null; reason: WaitReason }

/** The end of a pause that lasts until `resume`. */
export const forever = Number.MAX_SAFE_INTEGER

/** How long the terms of a stricter job still apply after its wait has ended. If the job does not request a slot within this
 *  time, other jobs use their own rate. */
const strictSlackMs = 1_000

/** The current rate of a job at a host, from its own terms, the crawl delay, the strictest other job, and a slowdown. */
interface Pace {
  gapMs: number
  burst: number
  limit: number
  reason: 'rate' | 'crawl-delay' | 'slowdown'
}

/** Finds the next slot at or before `horizon`, or the reason to wait. It reserves nothing. `inFlight` is the number of other requests
 *  in flight. */
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

/** Requests per minute over one connection, if each takes a second. */
const perPlace = 60

/** How many requests may start between `now` and `until`, which is about a minute later. Requests in flight are assumed to end. */
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

/** The earliest start under all limits, and the limit that decides. */
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
  // `fullAt` was computed with the interval of the previous job. Without a burst, this job must also keep its own interval.
  return pace.burst === 1 ? Math.max(token, entry.lastAt + pace.gapMs) : token
}

/** Reserves a slot that `decide` returned. */
export function book(entry: HostEntry, start: { at: number; gapMs: number }): void {
  entry.fullAt = fullAfter(entry.fullAt, start.gapMs, start.at)
  entry.lastAt = Math.max(entry.lastAt, start.at)
  entry.lastGapMs = start.gapMs
  countSecond(entry, start.at)
}

/** Gives back a slot if it is the newest one. An older slot stays reserved, because later slots were computed from it. */
export function unbook(entry: HostEntry, at: number): void {
  if (entry.lastAt !== at) return
  entry.lastAt = at - entry.lastGapMs
  entry.fullAt -= entry.lastGapMs
}

/** Moves the next slot if a request started late, because the interval counts from the real start. */
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

/** Requests per second in the current or previous second, at least 1. */
export const recentPace = (entry: HostEntry): number => Math.max(1, entry.secondCount, entry.lastSecondCount)

/** Remembers the terms of a strict job, so that looser jobs respect them while both are active. They apply until one interval
 *  after the job's slot. If the job must wait, they apply until shortly after its wait. */
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

/** Forgets the strictest terms. If the interval after the newest slot is longer than `terms` require, shortens the interval. */
export function shortenGap(entry: HostEntry, terms: readonly Terms[]): void {
  entry.forgetStrictTerms()
  const gapMs = Math.max(...terms.map(one => baseGap(entry, one)))
  if (gapMs >= entry.lastGapMs) return
  entry.fullAt -= entry.lastGapMs - gapMs
  entry.lastGapMs = gapMs
}

function strictUntil(answer: Reservation, now: number): number {
  if (answer.ok) return answer.at + answer.gapMs
  if (answer.until !== null) return answer.until + strictSlackMs
  return answer.reason === 'in-flight' ? Number.POSITIVE_INFINITY : now
}

/** Call this when a request has ended. While a strict job waits for that, its terms have no end time. This call lets the terms
 *  expire soon, unless the job requests a slot before then. */
export function endStrictWait(entry: HostEntry, now: number): void {
  if (entry.strictGapUntil === Number.POSITIVE_INFINITY) entry.strictGapUntil = now + strictSlackMs
  if (entry.strictLimitUntil === Number.POSITIVE_INFINITY) entry.strictLimitUntil = now + strictSlackMs
}
