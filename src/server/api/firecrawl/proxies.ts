// Where a page is asked for from: their country and their kind of proxy as proxies that there are here, within what the key may use.
import type { Caller } from '../../../model/access.ts'
import type { FoundProxies } from '../../../model/policy/proxy.ts'
import { isGranted } from '../../consent.ts'
import type { Server } from '../../parts.ts'
import type { ScrapeOptions } from './options.ts'

type Asking = Pick<ScrapeOptions, 'country' | 'isStealth' | 'warnings'>

/** What they call stealth goes out from people's homes where there are such proxies. */
const stealthNetwork = 'residential'

/** The wish with the proxies that it is done by; what can't be had is said, and left out. */
export function withProxies<Asked extends Asking>(
  server: Server,
  caller: Caller,
  options: Asked,
): Asked & Pick<ScrapeOptions, 'proxy'> {
  const { country, isStealth } = options
  if (country === null && !isStealth) return { ...options, proxy: {} }
  const code = country !== null && isCountry(country) ? country.toLowerCase() : undefined
  const found =
    country !== null && code === undefined
      ? null
      : ((isStealth ? server.parts.proxies.find({ country: code, type: stealthNetwork }) : null) ??
        (code === undefined ? null : server.parts.proxies.find({ country: code })))
  const mayUse = found !== null && (found.provider === null || isGranted(server, caller, 'proxies'))
  if (mayUse) return { ...options, proxy: found.proxy }
  return { ...options, proxy: {}, warnings: [...options.warnings, ...doneWithout(country, found)] }
}

const isCountry = (country: string): boolean => /^[a-z]{2}$/i.test(country)

function doneWithout(country: string | null, found: FoundProxies | null): string[] {
  if (found) {
    const path = country === null ? 'proxy' : 'location.country'
    return [
      `${path}: it was fetched from where this service is; going through ${found.provider} takes a key with the scope "proxies"`,
    ]
  }
  if (country === null) return []
  if (!isCountry(country)) return [`location.country: "${country}" is no country in two letters, like "DE"`]
  return [
    `location.country: no proxy here stands in ${country.toUpperCase()}; it was fetched from where this service is`,
  ]
}
