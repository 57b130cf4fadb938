// Plain HTTP fetching over pooled connections, behind the egress gate.
import { readFileSync } from 'node:fs'
import { Failure } from '../../model/failures.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { ProxyDialer } from '../proxies/dial.ts'
import type { ProxyAddress } from '../proxies/endpoint.ts'
import { asBrowser } from './browser-like/as-browser.ts'
import type { HeaderSet } from './browser-like/header-set.ts'
import { BrowserTls } from './browser-like/tls-exchange.ts'
import { type CookieJar, keepCookies } from './cookies.ts'
import { type Exchange, exchangeOver, throughProxy } from './exchange.ts'
import type { EgressGate } from './gate.ts'
import { headersForAll } from './header-origins.ts'
import { ownHeaders } from './headers.ts'
import { type InFlight, within } from './in-flight.ts'
import { Pools, trusting } from './pools.ts'
import { followRedirects } from './redirects.ts'

export { type HeaderSet, headerSetOf, openGenerator } from './browser-like/header-set.ts'
export { decodeText } from './charset/charset.ts'
export { CookieJar, type CookieJson, parseCookieFile, parseStoredOrigins } from './cookies.ts'
export { type Address, EgressGate, type Resolver, systemResolver } from './gate.ts'
export {
  headersForAll,
  headersTo,
  isHarmless,
  isOfBody,
  setFor,
} from './header-origins.ts'
export { ownHeaders, withoutSecrets } from './headers.ts'
export { trusting, usualAuthorities } from './pools.ts'
export { jarCookie, stateCookie, withChanges } from './session-cookies.ts'
export { statusFailure } from './status.ts'
export { lookUpTexts } from './txt-records.ts'

export interface HttpFetchOptions {
  gate: EgressGate
  /** Path of a PEM file with additional certificate authorities. */
  caFile?: string
  connectionsPerOrigin?: number
  /** The cookie jar of `fetch`. Without it, no cookies are sent or stored. */
  cookies?: CookieJar
  userAgent: string
  /** Headers for every request. They go to every site, so only headers that cannot contain secrets are used. */
  defaultHeaders?: Record<string, string>
  /** Settings for proxies. If undefined, requests cannot use proxies. */
  proxies?: ProxyRules
  /** A limit for requests in flight that is shared with other users. */
  inFlight?: InFlight | undefined
}

/** The operator's proxy settings. */
interface ProxyRules {
  /** `host:port` of the operator's proxies. These may be private addresses. */
  ownPlaces: readonly string[]
  names: 'here' | 'there'
}

/** The identity that requests use. */
interface IdentityOptions {
  cookies: CookieJar
  proxy?: ProxyAddress | undefined
  /** Headers of a browser, which replace our default headers. */
  headers?: HeaderSet | undefined
  /** True uses the TLS handshake of a browser. */
  browserTls?: boolean
}

export interface HttpFetch extends AsyncDisposable {
  fetch: Fetch
  /** A fetch over the same connections with another cookie jar. Each job has its own. */
  withCookies(jar: CookieJar): Fetch
  /** A fetch over the same connections for one identity. */
  fetchAs(options: IdentityOptions): Fetch
}

export function openHttpFetch(options: HttpFetchOptions): HttpFetch {
  const { gate, caFile, connectionsPerOrigin, cookies, userAgent, defaultHeaders, proxies, inFlight } =
    options
  const secureContext = caFile === undefined ? undefined : trusting(readCertificates(caFile))
  const dialer = proxies && new ProxyDialer({ gate, ...proxies, secureContext })
  const pools = new Pools({
    gate,
    secureContext,
    ...(connectionsPerOrigin !== undefined && { connectionsPerOrigin }),
    dialer,
  })
  const headers = {
    page: headersForAll(ownHeaders(userAgent, defaultHeaders)),
    robots: headersForAll(ownHeaders(userAgent)),
  }
  const bounded = (one: Exchange) => (inFlight ? within(inFlight, one) : one)
  const exchange = bounded(exchangeOver(pools))
  const browserTls = new BrowserTls({ gate, dialer })
  // Layers, innermost first: exchange, cookies, redirects. In this order each redirect gets its own cookies.
  const withCookies = (jar: CookieJar) => followRedirects(keepCookies(exchange, jar), gate, headers)
  return {
    fetch: cookies === undefined ? followRedirects(exchange, gate, headers) : withCookies(cookies),
    withCookies,
    fetchAs: ({ cookies: jar, proxy, headers: browsers, browserTls: shakesLikeBrowser }) => {
      const spoken = shakesLikeBrowser ? bounded(browserTls.exchange) : exchange
      const asked = proxy ? throughProxy(spoken, proxy) : spoken
      const said = browsers ? asBrowser(asked, [headers.page, headers.robots], browsers) : asked
      return followRedirects(keepCookies(said, jar), gate, headers)
    },
    [Symbol.asyncDispose]: async () => {
      await browserTls[Symbol.asyncDispose]()
      await pools[Symbol.asyncDispose]()
    },
  }
}

/** Throws `input.invalid` if the file does not exist or contains no certificate. */
export function readCertificates(path: string): string {
  const text = readTextFile(path)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new Failure('input.invalid', `SCRAPER_CA_FILE ${path} contains no PEM certificate`, { path })
}

function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Failure('input.invalid', `SCRAPER_CA_FILE ${path} cannot be read`, { path }, { cause })
  }
}
