// The policy of each host: the operator's override, then domain policies, then the default rate.
import { isDeepStrictEqual } from 'node:util'
import type { KnownHostPolicy } from '../dispatch/host-table.ts'
import { jobProxies, type OperatorProxies } from '../fetch/proxies/job-proxies.ts'
import type { HostOverride } from '../model/conduct.ts'
import { asFailure, Failure } from '../model/failures.ts'
import { type HostPolicy, hostPolicy, hostPolicyOver } from '../model/policy/policy.ts'
import { proxyPolicy } from '../model/policy/proxy.ts'
import { loadDomainPolicies, policyForHost } from './domain-policies.ts'
import type { Settings } from './settings.ts'

type PolicyFor = (host: string) => KnownHostPolicy

/** Returns the policy of each host, from the settings. If `operator` is given, throws if a domain policy names a proxy that the
 *  operator has not configured. */
export function hostPolicies(
  { domainPolicies: file, rate }: Pick<Settings, 'domainPolicies' | 'rate'>,
  operator?: OperatorProxies,
): PolicyFor {
  const policies = loadDomainPolicies(file)
  if (operator)
    for (const [domain, { proxy }] of [['default', policies.default] as const, ...policies.domains])
      if (proxy) refuseProxies(operator, proxy, `${file ?? 'domain_policies.yaml'}: ${domain}`)
  const known = rate === undefined ? policies : { ...policies, default: { ...policies.default, rate } }
  return host => (host.startsWith('~') ? noHost : policyForHost(known, host))
}

function refuseProxies(
  operator: OperatorProxies,
  proxy: NonNullable<HostPolicy['proxy']>,
  place: string,
): void {
  try {
    jobProxies(operator, proxyPolicy.parse(proxy))
  } catch (cause) {
    const { code, message, details } = asFailure(cause)
    throw new Failure(code, `${place}: ${message.replace(/^policy\./, '')}`, details, { cause })
  }
}

/** The policy of tasks without a host. Only the job's concurrency limits them; the requests that they send reserve slots of
 *  their own hosts. */
const noHost: KnownHostPolicy = hostPolicy.parse({ rate: 'unlimited', concurrency: 1_000 })

/** Policies with overrides that an operator can change at run time. */
export class ChangingPolicies {
  readonly #base: PolicyFor
  #overrides = new Map<string, HostOverride>()

  constructor(base: PolicyFor) {
    this.#base = base
  }

  policyFor = (host: string): KnownHostPolicy => {
    const override = this.#overrides.get(host)
    return override ? overridden(this.#base(host), override) : this.#base(host)
  }

  /** Returns the hosts whose policy has changed. */
  setOverrides = (overrides: readonly HostOverride[]): string[] => {
    const before = this.#overrides
    this.#overrides = new Map(overrides.map(override => [override.host, override]))
    const named = new Set([...before.keys(), ...this.#overrides.keys()])
    return [...named].filter(host => !isDeepStrictEqual(before.get(host), this.#overrides.get(host)))
  }
}

const overridable = ['rate', 'burst', 'concurrency'] as const

/** Applies an override. The values that it sets are fixed: a job can only be stricter. */
function overridden(base: KnownHostPolicy, { policy, pausedUntil }: HostOverride): KnownHostPolicy {
  const own = policy ?? {}
  const fixed = overridable.filter(key => base.fixed?.includes(key) || own[key] !== undefined)
  return { ...hostPolicyOver(base, own), fixed, stoppedUntil: pausedUntil }
}
