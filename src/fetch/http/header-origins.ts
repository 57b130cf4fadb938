// Decides which header goes to which origin. Every request that the program sends gets its headers from `headersTo`.

export type Headers = Readonly<Record<string, string>>

declare const decided: unique symbol
/** Headers that `headersTo` let through. Only such headers can be sent, so a request cannot bypass the decision. */
export type DecidedHeaders = Headers & { readonly [decided]: true }

/** Headers of a request, and the origins they are meant for. */
export interface GivenHeaders {
  /** Names in lower case. */
  headers: Headers
  /** Scheme, host and port, as in `URL.origin`. A missing port is the scheme's default. */
  origins: ReadonlySet<string>
}

/** `page`: a page, its parts, a sitemap, a file, a webhook. `robots`: robots.txt, requested without identity, so that its
 *  rules can be shared. */
export type RequestPurpose = 'page' | 'robots'

/** Safe for every site. All other headers may contain a secret. */
const harmless: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'dnt',
  'from',
  'pragma',
  'user-agent',
])
/** Headers that every request sends. */
const ourOwn: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'user-agent'])
const describesBody: ReadonlySet<string> = new Set(['content-type', 'content-language', 'content-encoding'])

export const isHarmless = (name: string): boolean => harmless.has(name)
export const isOfBody = (name: string): boolean => describesBody.has(name)

export interface Sent {
  purpose?: RequestPurpose | undefined
  /** The request has a body, so headers that describe it are included. */
  hasBody?: boolean
}

/** The headers of `given` that a request to this URL carries. */
export function headersTo(
  url: string | URL,
  given: GivenHeaders,
  { purpose = 'page', hasBody = false }: Sent = {},
): DecidedHeaders {
  if (purpose === 'robots') return only(given.headers, name => ourOwn.has(name))
  if (given.origins.has(originOf(url))) return given.headers as DecidedHeaders
  return only(given.headers, name => mayCross(name, hasBody))
}

/** A robots.txt request sends and stores no cookies. */
export const carriesCookies = (purpose: RequestPurpose = 'page'): boolean => purpose !== 'robots'

function only(headers: Headers, isKept: (name: string) => boolean): DecidedHeaders {
  const all = Object.entries(headers)
  const kept = all.filter(([name]) => isKept(name))
  // Returns the same object if nothing was removed, because senders compare by identity.
  return (kept.length === all.length ? headers : Object.fromEntries(kept)) as DecidedHeaders
}

const mayCross = (name: string, hasBody: boolean): boolean =>
  harmless.has(name) || (hasBody && describesBody.has(name))

/** For headers without a target site: only the safe ones. */
export const headersForAll = (headers: Headers): DecidedHeaders =>
  headersTo('about:blank', { headers, origins: nowhere })

/** For headers that were set for the site of this URL alone. */
export const setFor = (url: string | URL, headers: Headers): GivenHeaders => ({
  headers,
  origins: new Set([originOf(url)]),
})

const nowhere: ReadonlySet<string> = new Set()

/** An opaque origin (`null`) is never the origin that a header was set for. */
function originOf(url: string | URL): string {
  const { origin, href } = typeof url === 'string' ? new URL(url) : url
  return origin === 'null' ? `opaque ${href}` : origin
}
