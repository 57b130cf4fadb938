// Checks the policy of an item or row before it becomes a task: within the ceilings, and within the consents of its job.
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

/** Checks the policy of a row. Rows are read after their job was accepted. Throws if the policy is invalid. */
export function refuseRowPolicy(spec: JobSpec, policy: TaskPolicy, rules: RowPolicyRules): void {
  refuse('policy', policy, rules.ceilings ?? {})
  const allowed = new Set(askedConsents(spec).map(({ what }) => what))
  const beyond = consentsOfTask(policy, 'policy').find(({ what }) => !allowed.has(what))
  if (beyond)
    throw new Failure(
      'request.forbidden',
      `${beyond.path}: a row may request "${beyond.what}" only if its job requests it too, because consents are given and recorded per job`,
      { path: beyond.path, needs: beyond.what },
    )
  refuseTaskProxies(spec, policy, rules.operatorProxies)
}

/** Throws if the task chooses unknown proxies, or a web unlocker together with a browser. */
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

/** Throws if a job combines a web unlocker with a browser. A web unlocker has its own certificates, which a browser rejects, and it
 *  renders pages itself. */
export function refuseRendering(spec: JobSpec): void {
  if (renderModeOf(spec) === 'never') return
  throw new Failure(
    'input.invalid',
    'policy.proxy.type: web-unlocker renders pages itself and cannot serve our browser; remove render, or use residential',
    { path: 'policy.proxy.type' },
  )
}
