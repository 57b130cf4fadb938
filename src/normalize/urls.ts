// URLs as a record holds them: absolute, without what only tracks the visitor.
import { isTrackingParameter } from '../lib/tracking-parameters.ts'

export interface UrlSettings {
  /**
   * Turns http into https, except where that is another server or none: a port that was named, an address in place of a
   * name, this machine.
   */
  forceHttps?: boolean
  /** Leaves tracking parameters in. */
  keepTracking?: boolean
}

const scripted = new Set(['javascript:', 'data:', 'blob:', 'vbscript:', 'about:'])

/** The absolute form, or null when the text is no address one could open. */
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

/** Cut from the text of the query, so that the other parameters stay byte for byte as they were. */
function dropTracking(url: URL): void {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => !isTrackingParameter(pair.split('=', 1)[0]!))
  const query = kept.join('&')
  if (query.length !== url.search.length - 1) url.search = query
}
