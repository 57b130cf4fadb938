// The policy of a job, value by value, with the source of each value, and the used part of its limits.
import { spentOf } from '../../dispatch/job-budget.ts'
import type { Job, JobCounts } from '../../model/job.ts'
import { snake } from '../../model/letter-case.ts'
import { leavesOf } from '../../model/policy/given-policy.ts'
import {
  type ExecutionPolicy,
  executionPolicy,
  type LimitName,
  type Limits,
} from '../../model/policy/policy.ts'
import type { PolicyOrigin, PolicyOrigins } from '../../model/policy/policy-layers.ts'

export interface PolicyValue {
  /** The path in a job spec, such as `retries.attempts`. */
  path: string
  value: unknown
  from: PolicyOrigin
}

export interface PolicyReport {
  values: PolicyValue[]
  limits: Limits
  /** What the job has spent so far, in the unit of each limit. */
  spent: Record<LimitName, number>
}

export function policyReport({ spec }: Job, counts: JobCounts): PolicyReport {
  // Jobs of an old version lack newer policy fields, so fill in the defaults.
  const policy = executionPolicy.parse(spec.policy)
  return {
    values: policyValues(policy, spec.policyFrom),
    limits: policy.limits,
    spent: spentOf(counts, policy.prices),
  }
}

export const policyValues = (policy: ExecutionPolicy, from: PolicyOrigins = {}): PolicyValue[] =>
  leavesOf(policy).map(([path, value]) => ({
    path: path.split('.').map(snake).join('.'),
    value: shownValue(path, value),
    from: from[path] ?? 'default',
  }))

/** The value for display. The URLs of proxies are replaced with their number, because they contain passwords. */
const shownValue = (path: string, value: unknown): unknown =>
  path === 'proxy.urls' && Array.isArray(value) ? `${value.length} set by the job` : value
