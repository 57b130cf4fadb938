// The policy of one item or row, judged before it becomes a task: within the ceilings, and no more than its job was allowed.
import { jobProxies, noProxies, type OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import { Failure } from '../../model/failures.ts'
import type { JobSpec } from '../../model/job.ts'
import type { TaskPolicy } from '../../model/policy/policy.ts'
import type { Ceilings } from '../../model/policy/policy-ceilings.ts'
import { policyOfTask } from '../../model/policy/policy-layers.ts'
import { renderModeOf } from '../../model/policy/render-mode.ts'
import { askedConsents, consentsOfTask } from './conduct-notes.ts'
import { refuse } from './policy-in-force.ts'

export interface RowPolicyRules {
  ceilings?: Ceilings | undefined
  operatorProxies?: OperatorProxies | undefined
}

/** Of a row whose job was accepted before anybody had read it. Throws what is wrong with it. */
export function refuseRowPolicy(spec: JobSpec, policy: TaskPolicy, rules: RowPolicyRules): void {
  refuse('policy', policy, rules.ceilings ?? {})
  const allowed = new Set(askedConsents(spec).map(({ what }) => what))
  const beyond = consentsOfTask(policy, 'policy').find(({ what }) => !allowed.has(what))
  if (beyond)
    throw new Failure(
      'request.forbidden',
      `${beyond.path}: a row can ask for "${beyond.what}" only in a job that asks for it itself, so that it is agreed to and noted`,
      { path: beyond.path, needs: beyond.what },
    )
  refuseTaskProxies(spec, policy, rules.operatorProxies)
}

/** Proxies that are not there, and a browser where there can be none. */
export function refuseTaskProxies(
  spec: JobSpec,
  own: TaskPolicy,
  operator: OperatorProxies = noProxies,
): void {
  if (own.proxy === undefined) return
  const { policy } = policyOfTask(spec, { domain: {}, own, ceilings: {} })
  const { endpoints } = jobProxies(operator, policy.proxy)
  if (endpoints?.some(({ isUnlocker }) => isUnlocker)) refuseRendering(spec)
}

/** Its certificates are its own, which a browser does not take; what needs scripts it renders itself. */
export function refuseRendering(spec: JobSpec): void {
  if (renderModeOf(spec) === 'never') return
  throw new Failure(
    'input.invalid',
    'policy.proxy.type: web-unlocker opens pages by itself, so a browser of ours can’t go through it; leave out render, or take residential',
    { path: 'policy.proxy.type' },
  )
}
