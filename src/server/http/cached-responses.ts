// A cache of responses that is checked before routing, because clients poll jobs many times a second. For such
// requests, the router and the hooks cost twice as much as the response itself (`npm run bench -- api`). A request gets
// a cached response only if the service authenticated the same key on the same connection a moment ago, and if the key
// has no limit of requests per minute.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RecentMap } from '../../lib/collections/recent-map.ts'
import { type Caller, mayDo } from '../../model/access.ts'
import type { Clock } from '../../ports/clock.ts'

export interface Said {
  /** The response body as JSON text. */
  text: string
  /** Expiry, epoch ms. Set to 0 when the data changes. */
  until: number
}

/** A cached response. It is valid for all callers of the workspace that use this host name. */
interface CachedResponse {
  workspace: string
  host: string | undefined
  route: string
  said: Said
}

export interface CacheParts {
  clock: Clock
  /** The caller, if the service authenticated the same key headers on the same connection a moment ago; otherwise null. */
  callerOn: (request: IncomingMessage) => Caller | null
  clientRequestId: (request: IncomingMessage) => string | null
  headers: Record<string, string>
  /** Whether to skip the cache, because the service is stopping or overloaded. */
  isOff: () => boolean
  answered: (route: string, durationMs: number) => void
}

const rememberedUrls = 1_000

export class CachedResponses {
  readonly #answers = new RecentMap<string, CachedResponse>(rememberedUrls)

  /** Caches a response for later requests of exactly this URL. */
  offer(url: string, answer: CachedResponse): void {
    this.#answers.set(url, answer)
  }

  /** Sends the cached response if there is one. Returns whether a response was sent. */
  give(parts: CacheParts, request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET') return false
    const known = this.#answers.get(request.url!)
    if (!known || known.said.until <= parts.clock.now() || parts.isOff()) return false
    if (known.host !== request.headers.host || request.headers['x-workspace-id'] !== undefined) return false
    if (!isFor(known, parts.callerOn(request)) || hasBody(request)) return false
    const startedAt = performance.now()
    const theirs = parts.clientRequestId(request)
    response.writeHead(200, {
      ...parts.headers,
      'x-request-id': randomUUID(),
      ...(theirs !== null && { 'x-client-request-id': theirs }),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(known.said.text),
    })
    response.end(known.said.text)
    parts.answered(known.route, performance.now() - startedAt)
    return true
  }
}

const isFor = ({ workspace }: CachedResponse, caller: Caller | null): boolean =>
  caller !== null &&
  caller.workspace === workspace &&
  caller.limits.requestsPerMinute === undefined &&
  mayDo(caller.scopes, 'read')

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
