// Explains the policy of a task: every value, and where it comes from.
import type { KnownHostPolicy } from '../../dispatch/host-table.ts'
import { termsFor } from '../../dispatch/host-terms.ts'
import type { Job } from '../../model/job.ts'
import { executionPolicy, type Rate, type TaskPolicy } from '../../model/policy/policy.ts'
import type { Ceilings } from '../../model/policy/policy-ceilings.ts'
import { policyOfTask } from '../../model/policy/policy-layers.ts'
import type { Task } from '../../model/task.ts'
import { domainPart } from '../work/task-overrides.ts'
import { type PolicyValue, policyValues } from './policy-report.ts'

export interface PolicyContext {
  /** The host's policy, with the operator's overrides. */
  policyFor: (host: string) => KnownHostPolicy
  ceilings?: Ceilings | undefined
}

/** The policy values of a URL. If `task` is null, the URL is not in the job. Then the values are those that a task for
 *  this URL would get. */
export function policyOfUrl(
  { policyFor, ceilings = {} }: PolicyContext,
  job: Job,
  host: string,
  task: Task | null,
): PolicyValue[] {
  const known = policyFor(host)
  const spec = { ...job.spec, policy: executionPolicy.parse(job.spec.policy) }
  const own = task?.policy ? (JSON.parse(task.policy) as TaskPolicy) : null
  const layered = policyOfTask(spec, { domain: domainPart(known), own, ceilings })
  const values = policyValues(layered.policy, layered.policyFrom)
  return [...values.filter(({ path }) => !path.startsWith('host.')), ...paceOf(known, spec)]
}

/** The values of rate, burst, concurrency and robots.txt. The job's value wins over a default. If the domain policy sets the
 *  value, the stricter one applies. */
function paceOf(known: KnownHostPolicy, { policy, policyFrom = {} }: Job['spec']): PolicyValue[] {
  const { gapMs, burst, concurrency, obeysRobots } = termsFor(known, {
    ...policy.host,
    robots: policy.robots,
  })
  const rate: Rate = gapMs === 0 ? 'unlimited' : Math.round(1e6 / gapMs) / 1e3
  const from = (name: 'rate' | 'burst' | 'concurrency', value: unknown): PolicyValue['from'] => {
    if (policy.host[name] === value) return policyFrom[`host.${name}`] ?? 'job'
    return known.fixed?.includes(name) ? 'domain' : 'default'
  }
  return [
    { path: 'host.rate', value: rate, from: from('rate', rate) },
    { path: 'host.burst', value: burst, from: from('burst', burst) },
    { path: 'host.concurrency', value: concurrency, from: from('concurrency', concurrency) },
    {
      path: 'robots',
      value: obeysRobots ? 'obey' : 'ignore',
      from: policy.robots === undefined ? robotsFrom(known) : (policyFrom.robots ?? 'job'),
    },
    ...(known.hours ? [{ path: 'host.hours', value: known.hours, from: 'domain' as const }] : []),
  ]
}

/** Where the robots.txt policy of a host comes from. The default is to obey, so `ignore` must come from the domain policy. */
const robotsFrom = ({ robots }: KnownHostPolicy): PolicyValue['from'] =>
  robots === 'ignore' ? 'domain' : 'default'
