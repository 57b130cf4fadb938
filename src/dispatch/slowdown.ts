// The effect of a 429 on a host's rate: halved for a while, then restored in steps.
import type { HostPolicy } from '../model/policy/policy.ts'

type Slowdown = HostPolicy['slowdown']

export interface Slowed {
  /** Share of the rate while the slowdown lasts. */
  rateFactor: number
  slowUntil: number
  /** When it was last lowered: a 429 to an earlier request says nothing new. */
  slowedAt: number
  /** The page whose 429 lowered it: one page that always gives 429 does not slow down others further. */
  slowedBy: string | null
}

/** Lower limit, so that other pages of the host still proceed. */
const lowestFactor = 1 / 8

/** The effective share of the configured rate at `now`. */
export function rateFactorAt(host: Slowed, policy: Slowdown, now: number): number {
  if (host.rateFactor === 1 || now < host.slowUntil) return host.rateFactor
  const stepMs = policy.durationMs / policy.restoreSteps
  const steps = stepMs === 0 ? policy.restoreSteps : 1 + Math.floor((now - host.slowUntil) / stepMs)
  if (steps >= policy.restoreSteps) return 1
  return host.rateFactor + ((1 - host.rateFactor) * steps) / policy.restoreSteps
}

/** Lowers the rate once for all requests in flight together. Returns whether it did. */
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
