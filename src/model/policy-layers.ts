// The merge order of policies: default < settings < domain < scraper < job < task, and where each value came from.
import { laidOver, leavesOf, withValue } from './given-policy.ts'
import { type ExecutionPolicy, executionPolicy, type PolicyInput, type TaskPolicy } from './policy.ts'
import { type Ceilings, isBeyond, tightened } from './policy-ceilings.ts'

/** Later ones win. A ceiling is the operator's: it takes the place of whatever was looser. */
export const policyOrigins = ['default', 'settings', 'domain', 'scraper', 'job', 'task', 'ceiling'] as const
export type PolicyOrigin = (typeof policyOrigins)[number]

/** By path, like `retries.attempts`; what is not there is the default. */
export type PolicyOrigins = Record<string, PolicyOrigin>

export interface LayeredPolicy {
  policy: ExecutionPolicy
  policyFrom: PolicyOrigins
}

export interface PolicyLayer {
  from: PolicyOrigin
  policy: PolicyInput
}

/** The policy of a job: its layers in order, then what the operator lets nobody exceed. */
export function layeredPolicy(layers: readonly PolicyLayer[], ceilings: Ceilings = {}): LayeredPolicy {
  const policyFrom: PolicyOrigins = {}
  let given: PolicyInput = {}
  for (const { from, policy } of layers) {
    given = laidOver(given, policy)
    for (const [path] of leavesOf(policy)) policyFrom[path] = from
  }
  const cut = tightened(executionPolicy.parse(given), ceilings)
  for (const path of cut.paths) policyFrom[path] = 'ceiling'
  return { policy: cut.policy, policyFrom }
}

/** Of a task: what its domain says gives way to the scraper and the job, which give way to the task's own word. */
export interface TaskLayers {
  domain: TaskPolicy
  own: TaskPolicy | null
  ceilings: Ceilings
}

/** A job from before origins were kept has decided everything itself. */
const decided: ReadonlySet<PolicyOrigin> = new Set(['scraper', 'job', 'ceiling'])

export function policyOfTask(
  job: { policy: ExecutionPolicy; policyFrom?: PolicyOrigins | undefined },
  { domain, own, ceilings }: TaskLayers,
): LayeredPolicy {
  const policyFrom: PolicyOrigins = { ...job.policyFrom }
  const open = job.policyFrom ? leavesOf(domain).filter(([path]) => !isDecided(policyFrom, path)) : []
  const asked = own ? leavesOf(own) : []
  for (const [path] of open) policyFrom[path] = 'domain'
  for (const [path] of asked) policyFrom[path] = 'task'
  let policy = job.policy
  for (const [path, value] of open) policy = withValue(policy, path, value)
  for (const [path, value] of asked)
    if (isBeyond(path, value, job.policy, ceilings)) policyFrom[path] = 'ceiling'
    else policy = withValue(policy, path, value)
  return { policy, policyFrom }
}

const isDecided = (policyFrom: PolicyOrigins, path: string): boolean => {
  const from = policyFrom[path]
  return from !== undefined && decided.has(from)
}
