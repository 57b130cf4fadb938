// Cookies by RFC 6265, with a check for public suffixes. Contains the jar of a job, and the fetch layer that uses it.
import { createRequire } from 'node:module'
import type * as tough from 'tough-cookie'
import { Failure } from '../../model/failures.ts'
import type { HeaderList } from '../../model/page/page.ts'
import { type CookieJson, parseCookieFile, parseStoredOrigins } from './cookie-file.ts'
import type { Exchange } from './exchange.ts'
import { carriesCookies } from './header-origins.ts'
import type { FlatHeaders } from './headers.ts'

export { type CookieJson, parseCookieFile, parseStoredOrigins }

/** Browsers store 4096 bytes per cookie and a few dozen cookies per site. These limits are similar. */
const maxCookieBytes = 4_096
const maxCookiesPerAnswer = 50
/** Maximum number of sites with cookies in one jar, because a job may request a million hosts. The least recently used
 *  sites are evicted. */
const maxSites = 10_000

const require = createRequire(import.meta.url)

/** Loads the package with the first cookie. Its list of public suffixes is large. */
const toughCookies = (): typeof tough => require('tough-cookie')

export class CookieJar {
  /** One jar per registrable domain, because cookies cannot cross it. The least recently used domain comes first. */
  readonly #sites = new Map<string, tough.CookieJar>()
  /** Number of changes so far. Callers compare it to detect new cookies. */
  changes = 0

  static from(cookies: readonly CookieJson[]): CookieJar {
    const jar = new CookieJar()
    jar.add(cookies)
    return jar
  }

  /** Adds cookies to those already stored. */
  add(cookies: readonly CookieJson[]): void {
    for (const cookie of cookies) this.#load(cookie)
    this.changes += cookies.length
  }

  /** Replaces all cookies of the site to which the host belongs. */
  replace(host: string, cookies: readonly CookieJson[]): void {
    this.#sites.delete(siteOf(host))
    this.add(cookies)
    this.changes += 1
  }

  /** The Cookie header for a URL; empty if no cookie matches. */
  headerFor(url: URL): string {
    const site = this.#sites.size === 0 ? undefined : this.#used(siteOf(url.hostname))
    return site === undefined ? '' : site.getCookieStringSync(url.href)
  }

  /** Stores the cookies of a response. Invalid cookies are ignored, so that they do not fail the page. */
  keep(url: URL, headers: HeaderList): void {
    let taken = 0
    for (let index = 0; index < headers.length; index++) {
      const [name, value] = headers[index]!
      if (name !== 'set-cookie' || value.length > maxCookieBytes || taken++ >= maxCookiesPerAnswer) continue
      this.#siteFor(url.hostname).setCookieSync(value, url.href, { ignoreError: true, loose: true })
      this.changes++
    }
  }

  toJSON(): CookieJson[] {
    return [...this.#sites.values()].flatMap(kept)
  }

  /** All cookies of the host's registrable domain. */
  ofSite(host: string): CookieJson[] {
    const site = this.#sites.size === 0 ? undefined : this.#sites.get(siteOf(host))
    return site ? kept(site) : []
  }

  #load(cookie: CookieJson): void {
    const url = `${cookie.secure ? 'https' : 'http'}://${cookie.domain}/`
    try {
      this.#siteFor(cookie.domain).setCookieSync(toughCookie(cookie), url)
    } catch (cause) {
      const message = `The cookie "${cookie.name}" for "${cookie.domain}" cannot be set: ${(cause as Error).message}`
      throw new Failure('input.invalid', message, { name: cookie.name, domain: cookie.domain })
    }
  }

  #used(site: string): tough.CookieJar | undefined {
    const jar = this.#sites.get(site)
    if (jar === undefined) return undefined
    this.#sites.delete(site)
    this.#sites.set(site, jar)
    return jar
  }

  #siteFor(host: string): tough.CookieJar {
    const site = siteOf(host)
    const known = this.#used(site)
    if (known !== undefined) return known
    const jar = new (toughCookies().CookieJar)(undefined, { rejectPublicSuffixes: true, looseMode: true })
    this.#sites.set(site, jar)
    if (this.#sites.size > maxSites) this.#sites.delete(this.#sites.keys().next().value!)
    return jar
  }
}

/** The cookies of a site without expired ones. A logout sets an expiry in the past. */
function kept(site: tough.CookieJar): CookieJson[] {
  const now = Date.now() / 1_000
  return (site.serializeSync()?.cookies ?? [])
    .map(toJson)
    .filter(({ expires }) => expires === null || expires > now)
}

function siteOf(host: string): string {
  return toughCookies().getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) ?? host
}

function toughCookie(cookie: CookieJson): tough.Cookie {
  return new (toughCookies().Cookie)({
    key: cookie.name,
    value: cookie.value,
    path: cookie.path,
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    domain: cookie.hostOnly ? null : cookie.domain,
    expires: cookie.expires === null ? 'Infinity' : new Date(cookie.expires * 1_000),
  })
}

function toJson(cookie: tough.SerializedCookie): CookieJson {
  const expiresMs = expiryOf(cookie)
  return {
    name: String(cookie.key ?? ''),
    value: String(cookie.value ?? ''),
    domain: String(cookie.domain ?? ''),
    path: String(cookie.path ?? '/'),
    expires: Number.isNaN(expiresMs) ? null : Math.floor(expiresMs / 1_000),
    secure: cookie.secure === true,
    httpOnly: cookie.httpOnly === true,
    hostOnly: cookie.hostOnly === true,
  }
}

/** Max-Age takes precedence over Expires. A Max-Age of zero or less means that the cookie has expired. */
function expiryOf({ expires, maxAge, creation }: tough.SerializedCookie): number {
  if (typeof maxAge !== 'number') return Date.parse(String(maxAge === '-Infinity' ? 0 : (expires ?? '')))
  return maxAge <= 0 ? 0 : Date.parse(String(creation)) + maxAge * 1_000
}

/** A fetch layer: sends the jar's cookies for the URL and stores cookies of the response. */
export const keepCookies =
  (exchange: Exchange, jar: CookieJar): Exchange =>
  async (request, signal) => {
    if (!carriesCookies(request.purpose)) return exchange(request, signal)
    const headers = withCookies(request.headers, jar.headerFor(request.url))
    const answer = await exchange(headers === request.headers ? request : { ...request, headers }, signal)
    jar.keep(request.url, answer.headers)
    return answer
  }

/** Adds the jar's cookies to the headers. If the job sets a Cookie header, its cookies come first. */
function withCookies(headers: FlatHeaders, cookies: string): FlatHeaders {
  if (cookies === '') return headers
  const at = headers.indexOf('cookie')
  if (at === -1 || at % 2 === 1) return [...headers, 'cookie', cookies] as FlatHeaders
  return headers.with(at + 1, `${headers[at + 1]}; ${cookies}`) as FlatHeaders
}
