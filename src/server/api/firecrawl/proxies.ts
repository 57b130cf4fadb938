// Maps Firecrawl's country and proxy type to the proxies of this service, if the key may use them.
import type { Caller } from '../../../model/access.ts'
import type { FoundProxies } from '../../../model/policy/proxy.ts'
import { isGranted } from '../../consent.ts'
import type { Server } from '../../parts.ts'
import type { ScrapeOptions } from './options.ts'

type Asking = Pick<ScrapeOptions, 'country' | 'isStealth' | 'warnings'>

/** The network type of proxies for Firecrawl's stealth mode, if the service has such proxies. */
const stealthNetwork = 'residential'

/** Adds the proxies to the options. If a requested proxy is not available, adds a warning. */
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
    return [`${path}: fetched without a proxy; using ${found.provider} needs a key with the scope "proxies"`]
  }
  if (country === null) return []
  if (!isCountry(country))
    return [`location.country: "${country}" is not a two-letter country code like "DE"`]
  return [`location.country: there is no proxy in ${country.toUpperCase()}; fetched without a proxy`]
}
