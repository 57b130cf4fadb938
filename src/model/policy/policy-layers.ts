// The merge order of policies: default < settings < domain < scraper < job < task, and where each value came from.
import { laidOver, leavesOf, withValue } from './given-policy.ts'
import { type ExecutionPolicy, executionPolicy, type PolicyInput, type TaskPolicy } from './policy.ts'
import { type Ceilings, isBeyond, tightened } from './policy-ceilings.ts'
import { withJobUrls } from './proxy.ts'

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
  let policy = job.policy
  const say = (from: PolicyOrigin, said: ReturnType<typeof leavesOf>) => {
    const before = policy
    for (const [path, value] of said) {
      const isTooMuch = isBeyond(path, value, before, ceilings)
      policyFrom[path] = isTooMuch ? 'ceiling' : from
      if (!isTooMuch) policy = withValue(policy, path, value)
    }
  }
  say('domain', open)
  if (own) say('task', leavesOf(own))
  return { policy: withOneChoice(policy, own), policyFrom }
}

/** A task that names a provider goes through that, and not through the proxies that its job names one by one. */
function withOneChoice(policy: ExecutionPolicy, own: TaskPolicy | null): ExecutionPolicy {
  if (policy.proxy?.urls === undefined || own?.proxy === undefined) return policy
  return { ...policy, proxy: withJobUrls(policy.proxy, policy.proxy) }
}

/** Which proxies are used is one question, whatever the answer is made of. */
const proxyChoice: readonly string[] = ['use', 'urls', 'provider', 'type', 'country', 'state', 'city'].map(
  name => `proxy.${name}`,
)

const isDecided = (policyFrom: PolicyOrigins, path: string): boolean =>
  (proxyChoice.includes(path) ? proxyChoice : [path]).some(each => {
    const from = policyFrom[each]
    return from !== undefined && decided.has(from)
  })
