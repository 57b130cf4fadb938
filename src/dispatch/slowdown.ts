// What a host's 429 does to its rate: halved for a while, then back in steps.
import type { HostPolicy } from '../model/policy/policy.ts'

type Slowdown = HostPolicy['slowdown']

export interface Slowed {
  /** Share of the rate while the slowdown lasts. */
  rateFactor: number
  slowUntil: number
  /** When it was last lowered: a 429 to a request that was already on its way says nothing new. */
  slowedAt: number
  /** The page whose 429 lowered it: one page that always answers 429 does not slow the others further. */
  slowedBy: string | null
}

/** However often a host says 429, its other pages still proceed. */
const lowestFactor = 1 / 8

/** The share of the configured rate that holds at `now`. */
export function rateFactorAt(host: Slowed, policy: Slowdown, now: number): number {
  if (host.rateFactor === 1 || now < host.slowUntil) return host.rateFactor
  const stepMs = policy.durationMs / policy.restoreSteps
  const steps = stepMs === 0 ? policy.restoreSteps : 1 + Math.floor((now - host.slowUntil) / stepMs)
  if (steps >= policy.restoreSteps) return 1
  return host.rateFactor + ((1 - host.rateFactor) * steps) / policy.restoreSteps
}

/** Lowers the rate, once for all the requests that were on their way together. Says whether it did. */
export function slowDown(
  host: Slowed,
  policy: Slowdown,
  { startedAt, page }: { startedAt: number; page?: string | undefined },
  now: number,
): boolean {
  const isSamePage = page !== undefined && page === host.slowedBy
  if (startedAt < host.slowedAt || isSamePage) return false
  host.slowedBy = page ?? null
  host.rateFactor = Math.max(lowestFactor, rateFactorAt(host, policy, now) * policy.factor)
  host.slowUntil = now + policy.durationMs
  host.slowedAt = now
  return true
}
