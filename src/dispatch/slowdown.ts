// The effect of a 429 on a host's rate: the rate is lowered for a while, then restored in steps.
import type { HostPolicy } from '../model/policy/policy.ts'

type Slowdown = HostPolicy['slowdown']

interface Slowed {
  /** The factor of the rate while the slowdown lasts; 1 without a slowdown. */
  rateFactor: number
  slowUntil: number
  /** When the rate was last lowered. A 429 to a request that was sent earlier does not lower it again. */
  slowedAt: number
  /** The page whose 429 lowered the rate. Another 429 of the same page does not lower it again. */
  slowedBy: string | null
}

/** The lowest factor, so that the host still gets requests. */
const lowestFactor = 1 / 8

/** The factor of the configured rate at `now`. */
export function rateFactorAt(host: Slowed, policy: Slowdown, now: number): number {
  if (host.rateFactor === 1 || now < host.slowUntil) return host.rateFactor
  const stepMs = policy.durationMs / policy.restoreSteps
  const steps = stepMs === 0 ? policy.restoreSteps : 1 + Math.floor((now - host.slowUntil) / stepMs)
  if (steps >= policy.restoreSteps) return 1
  return host.rateFactor + ((1 - host.rateFactor) * steps) / policy.restoreSteps
}

/** Lowers the rate after a 429. Several 429 responses to concurrent requests lower it once. Returns whether it was lowered. */
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
