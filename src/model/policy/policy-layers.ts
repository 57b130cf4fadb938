// The order of policy layers: default < settings < domain < scraper < job < task, and the origin of each value.
import { laidOver, leavesOf, withValue } from './given-policy.ts'
import { type ExecutionPolicy, executionPolicy, type PolicyInput, type TaskPolicy } from './policy.ts'
import { type Ceilings, isBeyond, tightened } from './policy-ceilings.ts'
import { withJobUrls } from './proxy.ts'

/** Where a policy value comes from. Later layers win, and a ceiling of the operator replaces looser values. */
export const policyOrigins = ['default', 'settings', 'domain', 'scraper', 'job', 'task', 'ceiling'] as const
export type PolicyOrigin = (typeof policyOrigins)[number]

/** The origin of each value, by its path (like `retries.attempts`). A path that is missing has the default value. */
export type PolicyOrigins = Record<string, PolicyOrigin>

export interface LayeredPolicy {
  policy: ExecutionPolicy
  policyFrom: PolicyOrigins
}

interface PolicyLayer {
  from: PolicyOrigin
  policy: PolicyInput
}

/** The policy of a job: its layers in order, then the ceilings. */
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

/** The layers that one task adds to the policy of its job. Values of the scraper and the job win over `domain`, and
 *  `own` wins over all. */
interface TaskLayers {
  domain: TaskPolicy
  own: TaskPolicy | null
  ceilings: Ceilings
}

/** Origins that win over the domain's policy. Old jobs have no stored origins, so all their values count as set by the job. */
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

/** A task that names a provider uses it instead of the job's own proxies. */
function withOneChoice(policy: ExecutionPolicy, own: TaskPolicy | null): ExecutionPolicy {
  if (policy.proxy?.urls === undefined || own?.proxy === undefined) return policy
  return { ...policy, proxy: withJobUrls(policy.proxy, policy.proxy) }
}

/** The fields that together choose the proxies. If the scraper or the job sets one of them, the policy of the domain sets none
 *  of them. */
const proxyChoice: readonly string[] = ['use', 'urls', 'provider', 'type', 'country', 'state', 'city'].map(
  name => `proxy.${name}`,
)

const isDecided = (policyFrom: PolicyOrigins, path: string): boolean =>
  (proxyChoice.includes(path) ? proxyChoice : [path]).some(each => {
    const from = policyFrom[each]
    return from !== undefined && decided.has(from)
  })
