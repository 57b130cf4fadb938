// The policy of each host: domain policies from a file, with the settings' own rate beneath them.
import { loadDomainPolicies, policyForHost } from '../config/domain-policies.ts'
import type { Settings } from '../config/settings.ts'
import type { KnownHostPolicy } from '../dispatch/host-table.ts'
import { hostPolicy } from '../model/policy.ts'

export function hostPolicies({
  domainPolicies: file,
  rate,
}: Pick<Settings, 'domainPolicies' | 'rate'>): (host: string) => KnownHostPolicy {
  const policies = loadDomainPolicies(file)
  const known = rate === undefined ? policies : { ...policies, default: { ...policies.default, rate } }
  return host => (host.startsWith('~') ? noHost : policyForHost(known, host))
}

/** Rows that wait at no site are only bound by the job's concurrency; what they open asks for itself. */
const noHost: KnownHostPolicy = hostPolicy.parse({ rate: 'unlimited', concurrency: 1_000 })
