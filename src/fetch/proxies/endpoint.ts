// A configured proxy: address, credentials, and a name without secrets.
import { Failure } from '../../model/failures.ts'
import { type ProxyScheme, proxySchemes } from '../../model/policy/proxy.ts'

export interface ProxyEndpoint {
  /** A unique name without secrets: `http://proxy.example:8080`, then `http://proxy.example:8080#2`. */
  name: string
  /** The owner: `operator`, `job`, or the name of a provider. */
  source: string
  scheme: ProxyScheme
  host: string
  port: number
  /** May contain `{session}` and the placeholders of `geo`. */
  username: string | null
  password: string | null
  /** Two-letter country, if known. */
  country: string | null
  geo: Geo
  /** Configured by the operator, so it may be private. */
  isOperators: boolean
  /** A gateway with many exits: a host cannot see the same exit too often. */
  hasManyExits: boolean
  /** Terminates TLS with its own certificate, and decides what the site sees. */
  isUnlocker: boolean
}

/** Values for the placeholders of a user name. */
export interface Geo {
  country?: string | undefined
  state?: string | undefined
  city?: string | undefined
}

/** A proxy as one identity uses it. */
export interface ProxyAddress
  extends Pick<ProxyEndpoint, 'name' | 'scheme' | 'host' | 'port' | 'isOperators' | 'isUnlocker'> {
  username: string | null
  password: string | null
  /** Distinguishes its connections. */
  id: string
}

const usualPorts: Record<ProxyScheme, number> = { http: 80, https: 443, socks5: 1_080, socks5h: 1_080 }

type EndpointOptions = Partial<
  Pick<ProxyEndpoint, 'source' | 'country' | 'geo' | 'isOperators' | 'isUnlocker' | 'hasManyExits' | 'name'>
>

/** Throws `input.invalid`; the message shows only the address. */
export function parseProxy(text: string, options: EndpointOptions = {}): ProxyEndpoint {
  const url = URL.parse(text)
  const scheme = url?.protocol.slice(0, -1) as ProxyScheme | undefined
  if (!url || url.hostname === '' || !scheme || !proxySchemes.includes(scheme)) throw notAProxy(text)
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') throw notAProxy(text)
  // The URL parser normalizes hosts only for web schemes, and the checked host must be the one reached.
  const asWeb = URL.parse(`http://${url.host}/`)
  if (!asWeb) throw notAProxy(text)
  const host = asWeb.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const port = url.port === '' ? usualPorts[scheme] : Number(url.port)
  const username = url.username === '' ? null : decoded(url.username, text)
  return {
    name: placeName(scheme, host, port),
    source: 'operator',
    ...{ scheme, host, port },
    username,
    password: url.password === '' ? null : decoded(url.password, text),
    country: null,
    geo: {},
    isOperators: false,
    hasManyExits: username?.includes('{session}') ?? false,
    isUnlocker: false,
    ...options,
  }
}

const placeName = (scheme: string, host: string, port: number): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Several users at one place are several proxies. */
export function named(endpoints: ProxyEndpoint[]): ProxyEndpoint[] {
  const seen = new Map<string, number>()
  return endpoints.map(endpoint => {
    const count = (seen.get(endpoint.name) ?? 0) + 1
    seen.set(endpoint.name, count)
    return count === 1 ? endpoint : { ...endpoint, name: `${endpoint.name}#${count}` }
  })
}

/** For one identity: fills in `{session}`, and removes unused placeholders. */
export function addressFor(endpoint: ProxyEndpoint, session: string): ProxyAddress {
  const { name, scheme, host, port, isOperators, isUnlocker, password, geo } = endpoint
  const username = endpoint.username === null ? null : filled(endpoint.username, { ...geo, session })
  const id = endpoint.username?.includes('{session}') ? `${name} ${session}` : name
  return { name, scheme, host, port, isOperators, isUnlocker, username, password, id }
}

/** `customer-7-country-{country}-session-{session}` without a country is `customer-7-session-a1`: an empty placeholder is
 *  removed with the word before it. */
export function filled(template: string, values: Geo & { session?: string }): string {
  return template.replace(
    /([-_,;:]?[A-Za-z0-9]+[-_=])?\{(session|country|state|city)\}/g,
    (_all, word = '', place) => {
      const value = values[place as keyof typeof values]
      return value === undefined || value === '' ? '' : `${word}${spelled(value)}`
    },
  )
}

/** As providers write places: small letters, no spaces. */
const spelled = (value: string): string => value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

function decoded(text: string, whole: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw notAProxy(whole)
  }
}

/** The safe part of text that may not be a URL: nothing before an `@`. */
const withoutSecrets = (text: string): string =>
  text.replace(/^([a-z0-9+.-]{1,20}:\/\/)?.*@/i, '$1').slice(0, 200)

const notAProxy = (text: string): Failure =>
  new Failure(
    'input.invalid',
    `"${withoutSecrets(text)}" is not a proxy; write http://, https:// or socks5://, a host and a port, like http://user:password@proxy.example:8080`,
  )
