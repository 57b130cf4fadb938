// The policy of each host: domain policies from a file, with the settings' own defaults beneath them.
import { readFileSync } from 'node:fs'
import {
  type DomainPolicies,
  defaultDomainPolicies,
  parseDomainPolicies,
  policyForHost,
} from '../config/domain-policies.ts'
import type { Settings } from '../config/settings.ts'
import type { KnownHostPolicy } from '../dispatch/host-table.ts'
import { hostPolicy } from '../model/policy.ts'

export function hostPolicies(settings: Settings): (host: string) => KnownHostPolicy {
  const { domainPolicies: file, rate } = settings
  const policies: DomainPolicies = file
    ? parseDomainPolicies(readFileSync(file, 'utf8'), file)
    : defaultDomainPolicies()
  const known = rate === undefined ? policies : { ...policies, default: { ...policies.default, rate } }
  return host => (host.startsWith('~') ? noHost : policyForHost(known, host))
}

/** Rows that wait at no site are only bound by the job's concurrency; what they open asks for itself. */
const noHost: KnownHostPolicy = hostPolicy.parse({ rate: 'unlimited', concurrency: 1_000 })
