// Answers that were made a moment ago, given again ahead of everything else. A job that is watched is asked after many times a second, and
// for such an answer the router, the hooks and their objects cost twice as much as the answer itself (npm run bench -- api). Who gets one
// was let in over the same connection a moment before, by the same key, and has no limit that would have to count it.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RecentMap } from '../lib/collections/recent-map.ts'
import { type Caller, mayDo } from '../model/access.ts'
import type { Clock } from '../ports/clock.ts'

export interface Said {
  /** JSON. */
  text: string
  /** Until when it is given again; moved back when what it tells of has changed. */
  until: number
}

/** For whoever of the workspace reaches the service by this name. */
export interface QuickAnswer {
  workspace: string
  host: string | undefined
  route: string
  said: Said
}

export interface QuickParts {
  clock: Clock
  /** Who was let in over this connection with these headers a moment ago. */
  callerOn: (request: IncomingMessage) => Caller | null
  clientRequestId: (request: IncomingMessage) => string | null
  headers: Record<string, string>
  /** Whether requests have to take the whole way: the service stops, is too busy, or tells of every answer. */
  isOff: () => boolean
  answered: (route: string, durationMs: number) => void
}

const rememberedUrls = 1_000

export class QuickAnswers {
  readonly #answers = new RecentMap<string, QuickAnswer>(rememberedUrls)

  /** For whoever asks for exactly this URL next. */
  offer(url: string, answer: QuickAnswer): void {
    this.#answers.set(url, answer)
  }

  /** Whether it was answered. */
  give(parts: QuickParts, request: IncomingMessage, response: ServerResponse): boolean {
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

const isFor = ({ workspace }: QuickAnswer, caller: Caller | null): boolean =>
  caller !== null &&
  caller.workspace === workspace &&
  caller.limits.requestsPerMinute === undefined &&
  mayDo(caller.scopes, 'read')

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
