// Policy rules from the operator's settings.
import { ChangingPolicies, hostPolicies } from '../config/host-policies.ts'
import { operatorProxies } from '../config/operator-proxies.ts'
import type { Settings } from '../config/settings.ts'
import { limitReached } from '../dispatch/job-budget.ts'
import { Failure } from '../model/failures.ts'
import type { Job, JobCounts } from '../model/job.ts'
import { parsePiiDefaults } from '../model/personal-data.ts'
import { ConductRules } from '../pipeline/coordinate/conduct-rules.ts'
import type { PolicyRules } from '../pipeline/submit/policy-in-force.ts'

export function policyRulesOf({
  ceilings,
  pricePerGb,
  pricePerBrowserHour,
  pii,
  scrapeIdentity,
}: Pick<
  Settings,
  'ceilings' | 'pricePerGb' | 'pricePerBrowserHour' | 'pii' | 'scrapeIdentity'
>): PolicyRules {
  const prices = {
    ...(pricePerGb !== undefined && { perGb: pricePerGb }),
    ...(pricePerBrowserHour !== undefined && { perBrowserHour: pricePerBrowserHour }),
  }
  const identity = scrapeIdentity === 'browser' ? { identity: browserIdentity } : {}
  return {
    defaults: { prices },
    // Callers of these APIs expect the page as a browser shows it.
    ofFace: { scrape: { render: 'auto', ...identity }, fetch: identity },
    pii: parsePiiDefaults(pii),
    ...(ceilings && { ceilings }),
  }
}

/** Rules from the settings. Rules from the store apply after the first refresh. */
export const openConductRules = (settings: Settings): ConductRules =>
  new ConductRules(new ChangingPolicies(hostPolicies(settings, operatorProxies(settings))), settings)

/** The identity of a browser: its headers, its TLS handshake and a fingerprint, which differs for each task. */
const browserIdentity = { headers: 'browser', tls: 'browser', browser: 'stealth' } as const

/** Refuses to continue a job whose budget is used up, because it would stop again at once. */
export function refuseSpent({ id, spec, state }: Job, counts: JobCounts): void {
  const { limits = {}, prices = { perGb: 0, perBrowserHour: 0 } } = spec.policy
  const reached = limitReached(limits, prices, counts)
  if (reached === null) return
  throw new Failure(
    'job.wrong-state',
    `job ${id} has used its budget (${reached}); raise it with \`kscrape jobs raise ${id}\``,
    { jobId: id, state },
  )
}
