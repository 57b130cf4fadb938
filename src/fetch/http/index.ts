// Plain HTTP fetching: one `Fetch` over pooled connections, behind the egress gate.
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

export { isPublicAddress } from './addresses.ts'
export { type BrowserLook, type HeaderSet, headerSetOf, openGenerator } from './browser-like/header-set.ts'
export { decodeText } from './charset.ts'
export { CookieJar, type CookieJson, parseCookieFile, parseStoredOrigins } from './cookies.ts'
export { type Address, EgressGate, type GateOptions, type Resolver, systemResolver } from './gate.ts'
export {
  type GivenHeaders,
  headersForAll,
  headersTo,
  isHarmless,
  isOfBody,
  setFor,
} from './header-origins.ts'
export { ownHeaders, withoutSecrets } from './headers.ts'
export { InFlight } from './in-flight.ts'
export { trusting, usualAuthorities } from './pools.ts'
export { jarCookie, stateCookie, withChanges } from './session-cookies.ts'
export { statusFailure } from './status.ts'
export { lookUpTexts } from './txt-records.ts'

export interface HttpFetchOptions {
  gate: EgressGate
  /** PEM file of additional certificate authorities. */
  caFile?: string
  connectionsPerOrigin?: number
  /** The cookie jar of `fetch`; without it, no cookies. */
  cookies?: CookieJar
  userAgent: string
  /** Sent to every site, so only the safe ones are used. */
  defaultHeaders?: Record<string, string>
  /** Rules for proxies. */
  proxies?: ProxyRules
  /** The limit that its requests share with others. */
  inFlight?: InFlight | undefined
}

/** The operator's proxy settings. */
interface ProxyRules {
  /** `host:port` of the operator's proxies, which may be private. */
  ownPlaces: readonly string[]
  names: 'here' | 'there'
}

/** The identity of requests. */
export interface IdentityOptions {
  cookies: CookieJar
  proxy?: ProxyAddress | undefined
  /** Browser headers that replace ours. */
  headers?: HeaderSet | undefined
  /** Uses the TLS handshake of a browser. */
  browserTls?: boolean
}

export interface HttpFetch extends AsyncDisposable {
  fetch: Fetch
  /** The same connections with another jar: one per job. */
  withCookies(jar: CookieJar): Fetch
  /** The same for one identity. */
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
  // Innermost first: one exchange, then cookies, then redirects, so that each hop gets its own cookies.
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

/** Throws `input.invalid` if the file does not exist or has no certificate. */
export function readCertificates(path: string): string {
  const text = readTextFile(path)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new Failure('input.invalid', `SCRAPER_CA_FILE ${path} holds no PEM certificate`, { path })
}

function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Failure('input.invalid', `SCRAPER_CA_FILE ${path} cannot be read`, { path }, { cause })
  }
}
