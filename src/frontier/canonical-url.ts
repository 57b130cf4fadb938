// The two forms of a URL: almost unchanged for a URL that a caller gives, and canonical for a link that was found.
import { normalizePercent } from '../lib/text/percent-encoding.ts'
import { type CanonicalOptions, cleanQuery, withoutSession } from './parameters.ts'
import { plainAbsolute } from './plain-urls.ts'

export { contentKey, textKey, urlKey } from './keys.ts'
export type { CanonicalOptions } from './parameters.ts'

const maxUrlLength = 8_192
/** Longer input is refused. The limit is higher than `maxUrlLength`, because fragments and tracking parameters are removed later. */
const maxRawLength = 65_536

/** The form of a URL that a caller gives: seeds, lists, rows, `open()`. Path and query stay unchanged, because signed URLs would
 *  break. Only the fragment and the user info are removed. Null if it is not an http(s) URL or too long. */
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

/** The canonical form of a link from a page or sitemap. The frontier compares, hashes and fetches this form. Null if it is not an
 *  http(s) URL or too long. Never throws; idempotent. */
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
  // A session id was removed. The rest of the path may now form a dot segment or another session id, so repeat. Each round shortens
  // the URL.
  if (lasting !== path) return canonicalByStandard(canonical, options)
  return canonical.length <= maxUrlLength ? canonical : null
}

/** The host with its port and without a trailing dot, because "example.com." is the same site. Null if it is not a web URL. */
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
