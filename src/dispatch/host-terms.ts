// The terms on which a job may ask a host: the host's policy, with what the job says for its own requests.
import { gapOfRate } from '../lib/collections/token-bucket.ts'
import type { ExecutionPolicy, HostPolicy, Rate } from '../model/policy/policy.ts'

export interface HostBounds {
  /** What was written for its domain (and is not the default's) cannot be loosened by a job. */
  fixed?: ReadonlyArray<'rate' | 'burst' | 'concurrency'>
  /** The operator lets nobody ask it before; `Number.MAX_SAFE_INTEGER` is until someone says otherwise. */
  stoppedUntil?: number
}

export type KnownHostPolicy = HostPolicy & HostBounds

/** What a job says about every host it asks; `ExecutionPolicy.host` is one. */
export interface JobHostPolicy {
  rate?: Rate | undefined
  burst?: number | undefined
  concurrency?: number | undefined
  robots?: 'obey' | 'ignore' | undefined
}

export interface Terms {
  /** Start-to-start distance; 0 is no limit. */
  gapMs: number
  burst: number
  concurrency: number
  obeysRobots: boolean
}

export const askOf = (policy: ExecutionPolicy): JobHostPolicy => ({ ...policy.host, robots: policy.robots })

export function termsFor(policy: KnownHostPolicy, ask: JobHostPolicy): Terms {
  const wanted = {
    gapMs: gapOfRate(ask.rate ?? policy.rate),
    burst: ask.burst ?? policy.burst,
    concurrency: ask.concurrency ?? policy.concurrency,
    obeysRobots: (ask.robots ?? policy.robots) === 'obey',
  }
  return policy.fixed ? noLooserThan(policy, policy.fixed, wanted) : wanted
}

function noLooserThan(policy: HostPolicy, fixed: readonly string[], wanted: Terms): Terms {
  const { gapMs, burst, concurrency } = wanted
  return {
    ...wanted,
    gapMs: fixed.includes('rate') ? Math.max(gapOfRate(policy.rate), gapMs) : gapMs,
    burst: fixed.includes('burst') ? Math.min(policy.burst, burst) : burst,
    concurrency: fixed.includes('concurrency') ? Math.min(policy.concurrency, concurrency) : concurrency,
  }
}
