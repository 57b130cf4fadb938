// The two forms of a URL: as the caller gave it, and the canonical form of a discovered link.
import { normalizePercent } from '../lib/text/percent-encoding.ts'
import { type CanonicalOptions, cleanQuery, withoutSession } from './parameters.ts'
import { plainAbsolute } from './plain-urls.ts'

export { contentKey, textKey, urlKey } from './keys.ts'
export type { CanonicalOptions } from './parameters.ts'

const maxUrlLength = 8_192
/** Longer input is refused. The limit leaves room for long fragments and tracking parameters, which are removed. */
const maxRawLength = 65_536

/** A URL from the caller: seeds, lists, rows, `open()`. Its path and query stay unchanged, because signed URLs break
 *  otherwise. Only the fragment and the user info are removed. Null if it is not an http(s) URL, or too long. */
export function givenUrl(raw: string, base?: string): string | null {
  if (raw.length > maxRawLength) return null
  const url = URL.parse(raw, base)
  const host = url === null ? null : webHost(url)
  if (url === null || host === null) return null
  url.hash = ''
  url.username = ''
  url.password = ''
  const given = host === url.host ? url.href : url.href.replace(`//${url.host}`, `//${host}`)
  return given.length <= maxUrlLength ? given : null
}

/** A link from a page or sitemap, in the form that the frontier compares, hashes and fetches. Null if it is not an http(s)
 *  URL, or too long. Never throws; idempotent. */
export function canonicalUrl(raw: string, options: CanonicalOptions, base?: string): string | null {
  return plainAbsolute(raw, options) ?? canonicalByStandard(raw, options, base)
}

/** The reference implementation with the WHATWG parser; `plain-urls.ts` must agree with it. */
export function canonicalByStandard(raw: string, options: CanonicalOptions, base?: string): string | null {
  if (raw.length > maxRawLength) return null
  const url = URL.parse(raw, base)
  const host = url === null ? null : webHost(url)
  if (url === null || host === null) return null
  const path = normalizePercent(url.pathname)
  const lasting = options.query === 'keep' ? path : withoutSession(path)
  const query = cleanQuery(url.search.slice(1), options.query)
  const canonical = `${url.protocol}//${host}${lasting}${query === '' ? '' : `?${query}`}`
  // Removing a session id can leave a dot segment or another id; each round is shorter, so this ends.
  if (lasting !== path) return canonicalByStandard(canonical, options)
  return canonical.length <= maxUrlLength ? canonical : null
}

/** The host with its port, without the root dot ("example.com." is the same site). */
function webHost(url: URL): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  const name = url.hostname
  if (!name.endsWith('.')) return name === '' ? null : url.host
  if (name === '.' || name.endsWith('..')) return null
  return url.host.replace(name, name.slice(0, -1))
}

/** `URL.host` of a canonical URL, without parsing it again. */
export function hostOf(canonical: string): string {
  const start = canonical.indexOf('//') + 2
  return canonical.slice(start, canonical.indexOf('/', start))
}
