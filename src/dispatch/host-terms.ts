// The terms of a job at a host: the host's policy combined with the job's.
import { gapOfRate } from '../lib/collections/token-bucket.ts'
import type { ExecutionPolicy, HostPolicy, Rate } from '../model/policy/policy.ts'

interface HostBounds {
  /** The fields that a domain policy sets. A job cannot loosen them. */
  fixed?: ReadonlyArray<'rate' | 'burst' | 'concurrency'>
  /** End of the operator's pause in epoch ms; `Number.MAX_SAFE_INTEGER` means until the host is resumed. */
  stoppedUntil?: number
}

export type KnownHostPolicy = HostPolicy & HostBounds

/** The values that a job sets for all its hosts, as in `ExecutionPolicy.host`. */
export interface JobHostPolicy {
  rate?: Rate | undefined
  burst?: number | undefined
  concurrency?: number | undefined
  robots?: 'obey' | 'ignore' | undefined
}

export interface Terms {
  /** Interval between two requests; 0 means no limit. */
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
