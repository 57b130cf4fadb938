// Selects the proxies of a job: its own, a provider's, the operator's, or none.
import { Failure } from '../../model/failures.ts'
import type { FoundProxies, ProxyOptions, ProxyPolicy } from '../../model/policy/proxy.ts'
import { named, type ProxyEndpoint, parseProxy } from './endpoint.ts'
import { type ProxyProvider, providerEndpoint } from './providers.ts'

/** The operator's proxies. Plain data, which goes only to lanes. */
export interface OperatorProxies {
  proxies: ProxyEndpoint[]
  providers: ProxyProvider[]
  /** Where names of targets are resolved. */
  names: 'here' | 'there'
}

export const noProxies: OperatorProxies = { proxies: [], providers: [], names: 'here' }

export interface JobProxies {
  /** Null: direct connections. */
  endpoints: ProxyEndpoint[] | null
  /** Whether these are the operator's proxies, which all jobs share. */
  areShared: boolean
  /** Requested features that are not available. */
  warnings: string[]
}

/** Throws `input.invalid` if no proxy fits. Deterministic, so that names agree between processes. */
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

/** Proxies that fit these options; listed proxies come first. */
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

/** The listed proxies, and one for each network of a provider. */
export const operatorEndpoints = ({ proxies, providers }: OperatorProxies): ProxyEndpoint[] => [
  ...proxies,
  ...providers.flatMap(({ name, networks }) =>
    Object.keys(networks).map(type => providerEndpoint(providers, { provider: name, type }).endpoint),
  ),
]

/** Addresses that may be private, because the operator configured them. */
export const ownPlacesOf = (endpoints: readonly ProxyEndpoint[]): string[] =>
  endpoints
    .filter(({ isOperators }) => isOperators)
    .map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)

/** The location of listed proxies is fixed and cannot be requested. */
function leftOut({ country, state, city }: Partial<ProxyPolicy>): string[] {
  return Object.entries({ country, state, city }).flatMap(([place, value]) =>
    value === undefined
      ? []
      : [
          `policy.proxy.${place} "${value}" was left out: it is for providers, and these proxies are named one by one`,
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
      ? `policy.proxy: none of the proxies that are listed here will do; providers cost money, so a job names the one it wants (policy.proxy.provider): ${names}`
      : proxies.length === 0
        ? 'policy.proxy asks for a proxy, and none is set up here; see SCRAPER_PROXIES, or name some as policy.proxy.urls'
        : `policy.proxy.country: no proxy here is known to be in "${country}"; ${known.length > 0 ? `there are ${known.join(', ')}` : 'SCRAPER_PROXIES_FILE can say where they are'}`
  return new Failure('input.invalid', message, { path: 'policy.proxy' })
}
