// Proxy providers. Each has one gateway, and the user name selects the network and the location.
import { Failure } from '../../model/failures.ts'
import type { ProxyPolicy } from '../../model/policy/proxy.ts'
import { type Geo, type ProxyEndpoint, parseProxy } from './endpoint.ts'

const places = ['country', 'state', 'city'] as const
type PlaceKind = (typeof places)[number]

interface ProviderNetwork {
  /** The gateway as `scheme://host:port`. */
  gateway: string
  /** May contain the placeholders `{session}`, `{country}`, `{state}` and `{city}`. */
  username: string
  password: string
  /** Kinds of locations that the network can select. */
  places: readonly PlaceKind[]
  isUnlocker: boolean
}

export interface ProxyProvider {
  name: string
  /** The networks by type, such as `residential`. */
  networks: Record<string, ProviderNetwork>
}

/** Kinds of locations that Bright Data's networks can select. */
const brightDataPlaces: Record<string, readonly PlaceKind[]> = {
  datacenter: ['country'],
  isp: ['country'],
  residential: ['country', 'state', 'city'],
  mobile: ['country', 'city'],
  'web-unlocker': ['country'],
}

const brightDataTypes = Object.keys(brightDataPlaces)

/** The port whose certificates are valid until 2034. Those of the older ports have expired. */
const brightDataGateway = 'http://brd.superproxy.io:33335'

interface BrightData {
  customer: string
  gateway?: string | undefined
  /** Zone and password by network type. The zone selects the network. */
  zones: Record<string, { zone: string; password: string }>
}

export function brightData({ customer, gateway = brightDataGateway, zones }: BrightData): ProxyProvider {
  const networks = Object.entries(zones).map(([type, { zone, password }]) => {
    const known = brightDataPlaces[type]
    if (!known) throw unknownType('brightdata', type, brightDataTypes)
    const isUnlocker = type === 'web-unlocker'
    const asked = known.map(place => `-${place}-{${place}}`).join('')
    // The unlocker manages sessions itself.
    const session = isUnlocker ? '' : '-session-{session}'
    const username = `brd-customer-${customer}-zone-${zone}${asked}${session}`
    return [type, { gateway, username, password, places: known, isUnlocker }] as const
  })
  return { name: 'brightdata', networks: Object.fromEntries(networks) }
}

/** The placeholders in a template are the supported kinds of locations. */
export const placesIn = (username: string): PlaceKind[] =>
  places.filter(place => username.includes(`{${place}}`))

type ProviderOptions = Pick<ProxyPolicy, 'provider' | 'type' | 'country' | 'state' | 'city'>

/** The proxy for a job's options, and warnings about options that are not supported. */
export function providerEndpoint(
  providers: readonly ProxyProvider[],
  asked: ProviderOptions,
): { endpoint: ProxyEndpoint; warnings: string[] } {
  const provider = providerOf(providers, asked.provider)
  const [type, network] = networkOf(provider, asked.type)
  const { geo, warnings } = geoOf(provider.name, type, network, asked)
  const { gateway, username, password, isUnlocker } = network
  const name = `${provider.name}/${type}${geo.country ? `/${geo.country}` : ''}`
  const options = { name, geo, isUnlocker, source: provider.name, isOperators: true, hasManyExits: true }
  const endpoint = parseProxy(gateway, { ...options, country: geo.country ?? null })
  return { endpoint: { ...endpoint, username, password }, warnings }
}

function providerOf(providers: readonly ProxyProvider[], name: string | undefined): ProxyProvider {
  const known = providers.map(({ name }) => name)
  const found =
    name === undefined && known.length === 1 ? providers[0] : providers.find(one => one.name === name)
  if (found) return found
  const there = known.length === 0 ? 'none is configured' : `configured: ${known.join(', ')}`
  const message =
    name === undefined
      ? `policy.proxy needs a proxy provider (${there}); name one as policy.proxy.provider`
      : `policy.proxy.provider: "${name}" is not a proxy provider (${there})`
  throw new Failure('input.invalid', message, { path: 'policy.proxy.provider' })
}

function networkOf(
  { name, networks }: ProxyProvider,
  type: string | undefined,
): [type: string, network: ProviderNetwork] {
  const known = Object.keys(networks)
  const wanted = type ?? (known.length === 1 ? known[0] : undefined)
  const network = wanted === undefined ? undefined : networks[wanted]
  if (wanted === undefined || !network) throw unknownType(name, type, known)
  return [wanted, network]
}

/** The requested location, and a warning for each of country, state and city that the network cannot select. */
function geoOf(provider: string, type: string, { places: known }: ProviderNetwork, asked: ProviderOptions) {
  const warnings: string[] = []
  const geo: Geo = {}
  for (const place of places) {
    const value = asked[place]
    if (value === undefined) continue
    if (known.includes(place)) geo[place] = value.toLowerCase()
    else warnings.push(cantPlace(provider, type, place, value, known))
  }
  if ((geo.state !== undefined || geo.city !== undefined) && geo.country === undefined)
    throw new Failure(
      'input.invalid',
      'policy.proxy: a state or a city needs its country too, such as country: us',
      { path: 'policy.proxy.country' },
    )
  return { geo, warnings }
}

const cantPlace = (
  provider: string,
  type: string,
  place: PlaceKind,
  value: string,
  known: readonly PlaceKind[],
): string =>
  `${type} proxies of ${provider} ${known.length === 0 ? 'cannot be chosen by location' : `can be chosen by ${known.join(', ')} only`}: ${place} "${value}" was left out`

const unknownType = (provider: string, type: string | undefined, known: readonly string[]): Failure =>
  new Failure(
    'input.invalid',
    type === undefined
      ? `policy.proxy.type: choose a type of proxies of ${provider}; known types: ${known.join(', ')}`
      : `policy.proxy.type: "${type}" is not a proxy type of ${provider}; known types: ${known.join(', ')}`,
    { path: 'policy.proxy.type' },
  )
