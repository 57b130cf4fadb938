// Converts the proxy settings to the form that lanes use.

import { named, type ProxyEndpoint, parseProxy } from '../fetch/proxies/endpoint.ts'
import { noProxies, type OperatorProxies } from '../fetch/proxies/job-proxies.ts'
import { brightData, type ProxyProvider, placesIn } from '../fetch/proxies/providers.ts'
import { Failure } from '../model/failures.ts'
import { type ProxiesFile, readProxiesFile } from './proxies-file.ts'
import type { Settings } from './settings.ts'

type ProxySettings = Pick<
  Settings,
  'proxies' | 'proxiesFile' | 'proxyDns' | 'brightdataCustomer' | 'brightdataZones' | 'brightdataGateway'
>

/** Reads the proxies from the settings and the proxies file. Throws `input.invalid` without showing passwords. */
export function operatorProxies(settings: ProxySettings): OperatorProxies {
  const file = settings.proxiesFile ? readProxiesFile(settings.proxiesFile) : { proxies: [], providers: {} }
  const proxies = named([...settings.proxies.map(url => own(url)), ...file.proxies.map(listed)])
  const providers = [...brightDataIn(settings), ...Object.entries(file.providers).map(providerIn)]
  if (proxies.length === 0 && providers.length === 0) return noProxies
  return { proxies, providers, names: settings.proxyDns === 'proxy' ? 'there' : 'here' }
}

const own = (url: string, country?: string): ProxyEndpoint =>
  parseProxy(url, { source: 'operator', isOperators: true, country: country?.toLowerCase() ?? null })

const listed = ({ url, country }: { url: string; country?: string | undefined }): ProxyEndpoint =>
  own(url, country)

function brightDataIn({
  brightdataCustomer,
  brightdataZones,
  brightdataGateway,
}: ProxySettings): ProxyProvider[] {
  if (brightdataCustomer === undefined || brightdataZones.length === 0) {
    if (brightdataCustomer === undefined && brightdataZones.length === 0) return []
    throw new Failure(
      'input.invalid',
      'SCRAPER_BRIGHTDATA_CUSTOMER and SCRAPER_BRIGHTDATA_ZONES belong together: one of them is missing',
    )
  }
  const zones = Object.fromEntries(brightdataZones.map(zoneIn))
  return [brightData({ customer: brightdataCustomer, gateway: brightdataGateway, zones })]
}

function zoneIn(text: string): [type: string, zone: { zone: string; password: string }] {
  const [, type, zone, password] = /^([^=\s]+)=([^:]+):(.+)$/.exec(text) ?? []
  if (type && zone && password) return [type, { zone, password }]
  const shown = text.replace(/[:=].*$/, '')
  throw new Failure(
    'input.invalid',
    `SCRAPER_BRIGHTDATA_ZONES: "${shown}…" is not a zone; write them like residential=ZONE:PASSWORD,datacenter=ZONE:PASSWORD`,
  )
}

type ProviderEntry = ProxiesFile['providers'][string]

function providerIn([name, given]: [string, ProviderEntry]): ProxyProvider {
  if ('customer' in given) return { ...brightData(given), name }
  const networks = 'networks' in given ? given.networks : { default: given }
  return {
    name,
    networks: Object.fromEntries(
      Object.entries(networks).map(([type, { url, username, password }]) => [
        type,
        { gateway: url, username, password, places: placesIn(username), isUnlocker: false },
      ]),
    ),
  }
}

/** The passwords of all proxies, so that logs can redact them. */
export function proxySecrets(settings: ProxySettings): string[] {
  const { proxies, providers } = operatorProxies(settings)
  const networks = providers.flatMap(({ networks }) => Object.values(networks))
  return [...proxies, ...networks].flatMap(({ password }) => password ?? [])
}
