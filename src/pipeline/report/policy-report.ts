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
  /** In the measure of each limit, over all runs. */
  spent: Record<LimitName, number>
}

export function policyReport({ spec }: Job, counts: JobCounts): PolicyReport {
  // Older jobs lack newer parts of the policy, so fill in the defaults.
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

/** Proxies have passwords. */
const shownValue = (path: string, value: unknown): unknown =>
  path === 'proxy.urls' && Array.isArray(value) ? `${value.length} set by the job` : value
