// What a browser asks its proxy for: read strictly, judged by the gate, and known by one name.
import type { IncomingMessage } from 'node:http'
import { asFailure, Failure } from '../../../model/failures.ts'
import { type EgressGate, hostOf, portOf } from '../../http/gate.ts'

export interface ProxyTarget {
  /** `request`: plain HTTP, seen whole. `tunnel`: TLS and WebSockets, of which only host and port are seen. */
  kind: 'request' | 'tunnel'
  host: string
  port: number
  method: string
  /** Of a plain request; of a tunnel only the origin that it leads to, as `https://host:port/`. */
  url: string
  /** A document is opened (or a frame, which looks the same over plain HTTP); `null` in a tunnel, where nobody can tell. */
  isNavigation: boolean | null
}

/** Reads plain HTTP in absolute form and refuses everything else. The host still has to be judged. */
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

/** A dot at the end of a name means nothing but is another text, so it goes before anyone judges. */
export function placeOf(url: URL): { host: string; port: number } {
  return { host: hostOf(url).replace(/\.$/, ''), port: portOf(url) }
}

/** The gate has the words for most of them. https comes as a tunnel or not at all: here it could only be read. */
function refusedScheme(gate: EgressGate, text: string): Failure {
  try {
    gate.judgeUrl(text)
  } catch (error) {
    return asFailure(error)
  }
  return notForProxies(text)
}

/** The path as the browser wrote it: a signed URL must arrive letter by letter. */
export function pathOf(absoluteUrl: string): string {
  const slash = absoluteUrl.indexOf('/', 'http://'.length)
  return slash === -1 ? '/' : absoluteUrl.slice(slash)
}

/** The host as a request's own header has it. */
export const authorityOf = (absoluteUrl: string): string =>
  absoluteUrl.slice('http://'.length, absoluteUrl.indexOf('/', 'http://'.length))

/** Chromium asks for secure addresses when it navigates and only then; where it may, it says what for. */
function isNavigation({ headers }: IncomingMessage): boolean {
  if (headers['upgrade-insecure-requests'] !== '1') return false
  return (headers['sec-fetch-dest'] ?? 'document') === 'document'
}

const notForProxies = (text: string) =>
  new Failure('input.invalid', `"${text.slice(0, 200)}" is not a target that a browser asks its proxy for`)
