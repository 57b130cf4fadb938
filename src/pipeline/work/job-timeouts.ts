// The timeouts of a job's requests.
import type { LaneJob } from '../../model/lane.ts'
import { type Timeouts, timeouts } from '../../model/policy/policy.ts'

const usualTimeouts = timeouts.parse({})

/** `timeout_ms` limits the whole request. A phase is shorter only where the policy says so. */
export function timeoutsOf({ spec: { timeoutMs } }: Pick<LaneJob, 'spec'>, own: Timeouts): Timeouts {
  if (!timeoutMs) return own
  const phase = (name: 'connectMs' | 'headersMs' | 'idleMs') =>
    own[name] === usualTimeouts[name] ? timeoutMs : Math.min(own[name], timeoutMs)
  return {
    connectMs: phase('connectMs'),
    headersMs: phase('headersMs'),
    idleMs: phase('idleMs'),
    totalMs: timeoutMs,
  }
}
