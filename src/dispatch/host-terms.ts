// The terms on which a job may ask a host: the host's policy, with what the job says for its own requests.
import { gapOfRate } from '../lib/token-bucket.ts'
import type { ExecutionPolicy, HostPolicy, Rate } from '../model/policy.ts'

/** A host's policy; one that was written for its domain (not the default) cannot be loosened by a job. */
export type KnownHostPolicy = HostPolicy & { fixed?: boolean }

/** What a job says about every host it asks; `ExecutionPolicy.host` is one. */
export interface HostAsk {
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

export const askOf = (policy: ExecutionPolicy): HostAsk => ({ ...policy.host, robots: policy.robots })

export function termsFor(policy: KnownHostPolicy, ask: HostAsk): Terms {
  const wanted = {
    gapMs: gapOfRate(ask.rate ?? policy.rate),
    burst: ask.burst ?? policy.burst,
    concurrency: ask.concurrency ?? policy.concurrency,
    obeysRobots: (ask.robots ?? policy.robots) === 'obey',
  }
  return policy.fixed ? noLooserThan(policy, wanted) : wanted
}

function noLooserThan(policy: HostPolicy, wanted: Terms): Terms {
  return {
    gapMs: Math.max(gapOfRate(policy.rate), wanted.gapMs),
    burst: Math.min(policy.burst, wanted.burst),
    concurrency: Math.min(policy.concurrency, wanted.concurrency),
    obeysRobots: wanted.obeysRobots,
  }
}
