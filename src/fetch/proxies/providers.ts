// Proxy providers: one gateway each. The user name selects the network and the location.
import { Failure } from '../../model/failures.ts'
import type { ProxyPolicy } from '../../model/policy/proxy.ts'
import { type Geo, type ProxyEndpoint, parseProxy } from './endpoint.ts'

const places = ['country', 'state', 'city'] as const
type PlaceKind = (typeof places)[number]

interface ProviderNetwork {
  /** `scheme://host:port` of the gateway. */
  gateway: string
  /** With the placeholders `{session}`, `{country}`, `{state}`, `{city}`. */
  username: string
  password: string
  /** The locations that the network supports. */
  places: readonly PlaceKind[]
  isUnlocker: boolean
}

export interface ProxyProvider {
  name: string
  /** By their types. */
  networks: Record<string, ProviderNetwork>
}

/** Supported locations of Bright Data's networks. */
const brightDataPlaces: Record<string, readonly PlaceKind[]> = {
  datacenter: ['country'],
  isp: ['country'],
  residential: ['country', 'state', 'city'],
  mobile: ['country', 'city'],
  'web-unlocker': ['country'],
}

const brightDataTypes = Object.keys(brightDataPlaces)

/** The port whose certificates are valid until 2034; the older ones have expired. */
const brightDataGateway = 'http://brd.superproxy.io:33335'

interface BrightData {
  customer: string
  gateway?: string | undefined
  /** Zone and password of each network; the zone selects it. */
  zones: Record<string, { zone: string; password: string }>
}

export function brightData({ customer, gateway = brightDataGateway, zones }: BrightData): ProxyProvider {
  const networks = Object.entries(zones).map(([type, { zone, password }]) => {
    const known = brightDataPlaces[type]
    if (!known) throw unknownType('brightdata', type, brightDataTypes)
    const isUnlocker = type === 'web-unlocker'
    const asked = known.map(place => `-${place}-{${place}}`).join('')
    // The unlocker handles sessions itself.
    const session = isUnlocker ? '' : '-session-{session}'
    const username = `brd-customer-${customer}-zone-${zone}${asked}${session}`
    return [type, { gateway, username, password, places: known, isUnlocker }] as const
  })
  return { name: 'brightdata', networks: Object.fromEntries(networks) }
}

/** The placeholders of a template are the supported locations. */
export const placesIn = (username: string): PlaceKind[] =>
  places.filter(place => username.includes(`{${place}}`))

type ProviderOptions = Pick<ProxyPolicy, 'provider' | 'type' | 'country' | 'state' | 'city'>

/** The gateway for a job's options, and warnings about unsupported ones. */
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
  const there = known.length === 0 ? 'none is set up here' : `there are ${known.join(', ')}`
  const message =
    name === undefined
      ? `policy.proxy asks for a provider of proxies, and ${there}; name one as policy.proxy.provider`
      : `policy.proxy.provider: "${name}" is no provider of proxies here; ${there}`
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

/** Unsupported locations become warnings; nothing is added. */
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
      'policy.proxy: a state or a city needs its country beside it, like country: us',
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
  `${type} proxies of ${provider} can be chosen by ${known.join(', ') || 'nothing'} only: ${place} "${value}" was left out`

const unknownType = (provider: string, type: string | undefined, known: readonly string[]): Failure =>
  new Failure(
    'input.invalid',
    type === undefined
      ? `policy.proxy.type: say which proxies of ${provider} are meant; there are ${known.join(', ')}`
      : `policy.proxy.type: "${type}" are no proxies of ${provider}; there are ${known.join(', ')}`,
    { path: 'policy.proxy.type' },
  )
