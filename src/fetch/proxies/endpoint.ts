// A configured proxy: address, credentials, and a name without secrets.
import { Failure } from '../../model/failures.ts'
import { type ProxyScheme, proxySchemes } from '../../model/policy/proxy.ts'

export interface ProxyEndpoint {
  /** A unique name without secrets. The first proxy at an address is `http://proxy.example:8080`, the second
   *  `http://proxy.example:8080#2`. */
  name: string
  /** Who configured the proxy: `operator`, `job`, or the name of a provider. */
  source: string
  scheme: ProxyScheme
  host: string
  port: number
  /** May contain the placeholders `{session}`, `{country}`, `{state}` and `{city}`. */
  username: string | null
  password: string | null
  /** Two-letter country code; null if unknown. */
  country: string | null
  geo: Geo
  /** True if the operator configured the proxy. It may then have a private address. */
  isOperators: boolean
  /** True for a gateway with many exits. Its proxies need no rest after a request, because a host rarely sees the same
   *  exit twice. */
  hasManyExits: boolean
  /** True if the proxy decrypts TLS with its own certificate and chooses what the site sees. */
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
  /** Identifies the connections of this identity in a pool. */
  id: string
}

const usualPorts: Record<ProxyScheme, number> = { http: 80, https: 443, socks5: 1_080, socks5h: 1_080 }

type EndpointOptions = Partial<
  Pick<ProxyEndpoint, 'source' | 'country' | 'geo' | 'isOperators' | 'isUnlocker' | 'hasManyExits' | 'name'>
>

/** Parses the URL of a proxy. Throws `input.invalid`, with a message that shows only the address and no credentials. */
export function parseProxy(text: string, options: EndpointOptions = {}): ProxyEndpoint {
  const url = URL.parse(text)
  const scheme = url?.protocol.slice(0, -1) as ProxyScheme | undefined
  if (!url || url.hostname === '' || !scheme || !proxySchemes.includes(scheme)) throw notAProxy(text)
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') throw notAProxy(text)
  // The URL parser normalizes hosts only for web schemes. Normalize the host here, so that the checked host is the one
  // that is connected to.
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

/** Makes names unique, because several users at one address are several proxies. */
export function named(endpoints: ProxyEndpoint[]): ProxyEndpoint[] {
  const seen = new Map<string, number>()
  return endpoints.map(endpoint => {
    const count = (seen.get(endpoint.name) ?? 0) + 1
    seen.set(endpoint.name, count)
    return count === 1 ? endpoint : { ...endpoint, name: `${endpoint.name}#${count}` }
  })
}

/** The proxy for one identity. Fills in `{session}` and removes placeholders without a value. */
export function addressFor(endpoint: ProxyEndpoint, session: string): ProxyAddress {
  const { name, scheme, host, port, isOperators, isUnlocker, password, geo } = endpoint
  const username = endpoint.username === null ? null : filled(endpoint.username, { ...geo, session })
  const id = endpoint.username?.includes('{session}') ? `${name} ${session}` : name
  return { name, scheme, host, port, isOperators, isUnlocker, username, password, id }
}

/** Fills in a template. A placeholder without a value is removed together with the word before it. So
 *  `customer-7-country-{country}-session-{session}` without a country becomes `customer-7-session-a1`. */
export function filled(template: string, values: Geo & { session?: string }): string {
  return template.replace(
    /([-_,;:]?[A-Za-z0-9]+[-_=])?\{(session|country|state|city)\}/g,
    (_all, word = '', place) => {
      const value = values[place as keyof typeof values]
      return value === undefined || value === '' ? '' : `${word}${spelled(value)}`
    },
  )
}

/** A value in the form that providers expect: lower case, only letters and digits. */
const spelled = (value: string): string => value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

function decoded(text: string, whole: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw notAProxy(whole)
  }
}

/** The text without credentials: everything before the `@` is removed. The text need not be a URL. */
const withoutSecrets = (text: string): string =>
  text.replace(/^([a-z0-9+.-]{1,20}:\/\/)?.*@/i, '$1').slice(0, 200)

const notAProxy = (text: string): Failure =>
  new Failure(
    'input.invalid',
    `"${withoutSecrets(text)}" is not a proxy; write http://, https:// or socks5://, a host and a port, like http://user:password@proxy.example:8080`,
  )
