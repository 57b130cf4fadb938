// Normalizes URLs of records: absolute, without tracking parameters.
import { isTrackingParameter } from '../lib/tracking-parameters.ts'

export interface UrlSettings {
  /** Changes http to https. URLs with explicit ports, IP addresses and local names stay unchanged, because https could
   *  be another server. */
  forceHttps?: boolean
  /** If true, tracking parameters are not removed. */
  keepTracking?: boolean
}

const scripted = new Set(['javascript:', 'data:', 'blob:', 'vbscript:', 'about:'])

/** The absolute URL; null if it is not valid. */
export function normalizeUrl(text: string, baseUrl: string, settings: UrlSettings = {}): string | null {
  const url = URL.parse(text.trim(), baseUrl)
  if (url === null || scripted.has(url.protocol)) return null
  if (!settings.keepTracking && url.search !== '') dropTracking(url)
  if (settings.forceHttps && url.protocol === 'http:' && hasSecureTwin(url)) url.protocol = 'https:'
  return url.href
}

const hasSecureTwin = ({ port, hostname }: URL): boolean =>
  port === '' &&
  /\.[a-z][a-z0-9-]*$/i.test(hostname) &&
  !/\.(?:localhost|local|internal|onion)$/i.test(hostname)

/** Edits the query as text, so that other parameters stay unchanged byte for byte. */
function dropTracking(url: URL): void {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => !isTrackingParameter(pair.split('=', 1)[0]!))
  const query = kept.join('&')
  if (query.length !== url.search.length - 1) url.search = query
}
