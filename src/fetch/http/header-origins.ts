// Decides which headers are sent to which origin. `headersTo` makes the headers of every request of the program.

export type Headers = Readonly<Record<string, string>>

declare const decided: unique symbol
/** Headers that passed `headersTo`. Only this type can be sent, so no request can bypass the decision. */
export type DecidedHeaders = Headers & { readonly [decided]: true }

/** Headers of a request, and the origins for which they were set. */
interface GivenHeaders {
  /** Header names are in lower case. */
  headers: Headers
  /** Scheme, host and port, as in `URL.origin`. */
  origins: ReadonlySet<string>
}

/** `page` covers pages, their parts, sitemaps, files and webhooks. `robots` covers robots.txt. It is requested without
 *  cookies and secret headers, so that several jobs can share the result. */
export type RequestPurpose = 'page' | 'robots'

/** Headers that are safe for every site. All others may contain a secret. */
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
  /** True if the request has a body. Headers that describe the body are then included. */
  hasBody?: boolean
}

/** The headers of `given` that a request to this URL may send. */
export function headersTo(
  url: string | URL,
  given: GivenHeaders,
  { purpose = 'page', hasBody = false }: Sent = {},
): DecidedHeaders {
  if (purpose === 'robots') return only(given.headers, name => ourOwn.has(name))
  if (given.origins.has(originOf(url))) return given.headers as DecidedHeaders
  return only(given.headers, name => mayCross(name, hasBody))
}

/** Whether requests send and store cookies. Requests for robots.txt do neither. */
export const carriesCookies = (purpose: RequestPurpose = 'page'): boolean => purpose !== 'robots'

function only(headers: Headers, isKept: (name: string) => boolean): DecidedHeaders {
  const all = Object.entries(headers)
  const kept = all.filter(([name]) => isKept(name))
  // Return the same object if nothing was removed, because senders compare objects by identity.
  return (kept.length === all.length ? headers : Object.fromEntries(kept)) as DecidedHeaders
}

const mayCross = (name: string, hasBody: boolean): boolean =>
  harmless.has(name) || (hasBody && describesBody.has(name))

/** Only the safe headers, for requests whose target site is not known in advance. */
export const headersForAll = (headers: Headers): DecidedHeaders =>
  headersTo('about:blank', { headers, origins: nowhere })

/** Marks headers as set for the site of this URL alone. */
export const setFor = (url: string | URL, headers: Headers): GivenHeaders => ({
  headers,
  origins: new Set([originOf(url)]),
})

const nowhere: ReadonlySet<string> = new Set()

/** Gives an opaque origin (`null`) a unique value, so that it never equals the origin for which a header was set. */
function originOf(url: string | URL): string {
  const { origin, href } = typeof url === 'string' ? new URL(url) : url
  return origin === 'null' ? `opaque ${href}` : origin
}
