// The target of a proxy request: parsed strictly, checked by the gate, with one canonical name.
import type { IncomingMessage } from 'node:http'
import { asFailure, Failure } from '../../../model/failures.ts'
import { type EgressGate, hostOf, portOf } from '../../http/gate.ts'

export interface ProxyTarget {
  /** `request`: plain HTTP, fully visible. `tunnel`: TLS and WebSockets, only host and port are visible. */
  kind: 'request' | 'tunnel'
  host: string
  port: number
  method: string
  /** The URL of a plain request. For a tunnel, only the origin of its target: `https://host:port/`. */
  url: string
  /** Whether a document (or frame) is requested; `null` in a tunnel, where it is unknown. */
  isNavigation: boolean | null
}

/** Parses plain HTTP in absolute form and refuses everything else. The host is not checked yet. */
export function requestTarget(gate: EgressGate, request: IncomingMessage): ProxyTarget {
  const text = request.url ?? ''
  const url = URL.parse(text)
  if (url === null) throw notForProxies(text)
  if (url.protocol !== 'http:') throw refusedScheme(gate, text)
  return {
    kind: 'request',
    ...placeOf(url),
    method: request.method ?? 'GET',
    url: `http://${url.host.replace(/\.(?=:|$)/, '')}${pathOf(text)}`,
    isNavigation: isNavigation(request),
  }
}

export function tunnelTarget(authority: string): ProxyTarget {
  const url = /^[^\s/?#@\\]+:\d{1,5}$/.test(authority) ? URL.parse(`https://${authority}/`) : null
  if (url === null) throw notForProxies(authority)
  return { kind: 'tunnel', ...placeOf(url), method: 'CONNECT', url: url.href, isNavigation: null }
}

/** Removes a trailing dot from the host name before any check: `host.` and `host` are the same host. */
export function placeOf(url: URL): { host: string; port: number } {
  return { host: hostOf(url).replace(/\.$/, ''), port: portOf(url) }
}

/** The failure for a URL whose scheme is refused. The gate creates the failure for most schemes. https URLs are refused
 *  here, because they must use a tunnel. */
function refusedScheme(gate: EgressGate, text: string): Failure {
  try {
    gate.judgeUrl(text)
  } catch (error) {
    return asFailure(error)
  }
  return notForProxies(text)
}

/** The path exactly as the browser wrote it, because a signed URL must arrive unchanged. */
export function pathOf(absoluteUrl: string): string {
  const slash = absoluteUrl.indexOf('/', 'http://'.length)
  return slash === -1 ? '/' : absoluteUrl.slice(slash)
}

/** The host and port of the URL, in the form of a Host header. */
export const authorityOf = (absoluteUrl: string): string =>
  absoluteUrl.slice('http://'.length, absoluteUrl.indexOf('/', 'http://'.length))

/** Whether the request is for a document. Chromium sends `Upgrade-Insecure-Requests` only for navigations. It sends
 *  `Sec-Fetch-Dest` only to secure origins. */
function isNavigation({ headers }: IncomingMessage): boolean {
  if (headers['upgrade-insecure-requests'] !== '1') return false
  return (headers['sec-fetch-dest'] ?? 'document') === 'document'
}

const notForProxies = (text: string) =>
  new Failure(
    'input.invalid',
    `"${text.slice(0, 200)}" is not a valid proxy target; expected an absolute http URL or host:port`,
  )
