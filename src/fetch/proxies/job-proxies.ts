// Selects the proxies of a job: its own, those of a provider, those of the operator, or none.
import { Failure } from '../../model/failures.ts'
import type { FoundProxies, ProxyOptions, ProxyPolicy } from '../../model/policy/proxy.ts'
import { named, type ProxyEndpoint, parseProxy } from './endpoint.ts'
import { type ProxyProvider, providerEndpoint } from './providers.ts'

/** The proxies that the operator configured. They contain credentials, so only lanes receive this data. */
export interface OperatorProxies {
  proxies: ProxyEndpoint[]
  providers: ProxyProvider[]
  /** Where target names are resolved: by this process or by the proxy. */
  names: 'here' | 'there'
}

export const noProxies: OperatorProxies = { proxies: [], providers: [], names: 'here' }

export interface JobProxies {
  /** Null means direct connections. */
  endpoints: ProxyEndpoint[] | null
  /** True if these are the operator's proxies, which all jobs share. */
  areShared: boolean
  /** Warnings about requested options that are not supported. */
  warnings: string[]
}

/** Throws `input.invalid` if no proxy matches. Deterministic, so that all processes use the same proxy names. */
export function jobProxies(operator: OperatorProxies, policy: ProxyPolicy): JobProxies {
  if (policy.use === 'never') return { endpoints: null, areShared: false, warnings: [] }
  if (policy.urls) {
    const own = policy.urls.map(url => parseProxy(url, { source: 'job' }))
    return { endpoints: named(own), areShared: false, warnings: leftOut(policy) }
  }
  if (policy.provider !== undefined || policy.type !== undefined) return ofProvider(operator, policy)
  return ofOperator(operator, policy)
}

function ofProvider({ providers }: OperatorProxies, policy: ProxyPolicy): JobProxies {
  const { endpoint, warnings } = providerEndpoint(providers, policy)
  return { endpoints: [endpoint], areShared: false, warnings }
}

function ofOperator({ proxies, providers }: OperatorProxies, policy: ProxyPolicy): JobProxies {
  const { country, use } = policy
  const isAsked = use === 'always' || country !== undefined
  const there = country === undefined ? proxies : proxies.filter(one => one.country === country.toLowerCase())
  if (there.length === 0 && isAsked) throw nothingThere(country, proxies, providers)
  if (there.length === 0) return { endpoints: null, areShared: false, warnings: [] }
  return {
    endpoints: there,
    areShared: there === proxies,
    warnings: leftOut({ ...policy, country: undefined }),
  }
}

/** Finds proxies for these options and returns the proxy policy that selects them. Listed proxies come before those of
 *  providers. Null if no proxy matches. */
export function findProxies(
  { proxies, providers }: OperatorProxies,
  { country, type }: ProxyOptions,
): FoundProxies | null {
  const code = country?.toLowerCase()
  if (type === undefined && code !== undefined && proxies.some(one => one.country === code))
    return { proxy: { country: code }, provider: null }
  for (const { name, networks } of providers)
    for (const [each, { places, isUnlocker }] of Object.entries(networks))
      if (!isUnlocker && (type ?? each) === each && (code === undefined || places.includes('country')))
        return { proxy: { provider: name, type: each, ...(code && { country: code }) }, provider: name }
  return null
}

/** All listed proxies, and one proxy for each network of a provider. */
export const operatorEndpoints = ({ proxies, providers }: OperatorProxies): ProxyEndpoint[] => [
  ...proxies,
  ...providers.flatMap(({ name, networks }) =>
    Object.keys(networks).map(type => providerEndpoint(providers, { provider: name, type }).endpoint),
  ),
]

/** `host:port` of the operator's proxies, which may have private addresses. */
export const ownPlacesOf = (endpoints: readonly ProxyEndpoint[]): string[] =>
  endpoints
    .filter(({ isOperators }) => isOperators)
    .map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)

/** Warnings for location options. They have no effect here, because they select only proxies of a provider. */
function leftOut({ country, state, city }: Partial<ProxyPolicy>): string[] {
  return Object.entries({ country, state, city }).flatMap(([place, value]) =>
    value === undefined
      ? []
      : [
          `policy.proxy.${place} "${value}" was left out: only proxies of a provider can be chosen by ${place}`,
        ],
  )
}

function nothingThere(
  country: string | undefined,
  proxies: readonly ProxyEndpoint[],
  providers: readonly ProxyProvider[],
): Failure {
  const known = [...new Set(proxies.flatMap(one => one.country ?? []))].sort()
  const names = providers.map(({ name }) => name).join(', ')
  const message =
    providers.length > 0
      ? `policy.proxy: none of the listed proxies matches; providers cost money, so the job must name one as policy.proxy.provider: ${names}`
      : proxies.length === 0
        ? 'policy.proxy: no proxy is configured; set SCRAPER_PROXIES, or list proxies as policy.proxy.urls'
        : `policy.proxy.country: no configured proxy is known to be in "${country}"; ${known.length > 0 ? `known countries: ${known.join(', ')}` : 'set their countries in SCRAPER_PROXIES_FILE'}`
  return new Failure('input.invalid', message, { path: 'policy.proxy' })
}
