// Routes: an entry of the route table, a request, and a response.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Html } from './html.ts'

export interface Visit {
  method: string
  url: URL
  /** The origin that the client used, such as `http://127.0.0.1:8080`. */
  origin: string
  headers: IncomingMessage['headers']
  /** How often this path and query was requested, including this request. */
  count: number
  /** The body of a posted form; empty for other requests. */
  form: URLSearchParams
}

export interface Reply {
  status?: number
  headers?: OutgoingHttpHeaders
  body?: string | Uint8Array
}

/** Writes the response itself, or directly to the socket. `gone` is aborted when the client disconnects or the site closes. */
export type TakeOver = (response: ServerResponse, gone: AbortSignal) => void | Promise<void>

export type Answer = Reply | TakeOver

/** Gets one argument for each `:name` of the path, and the rest of the path for a final `*`. */
type Handler = (visit: Visit, ...params: string[]) => Answer | Promise<Answer>

export interface Route {
  path: string
  answer: Handler
}

type FindRoute = (path: string) => { answer: Handler; params: string[] } | undefined

/** The first matching route wins, but routes without `:name` or `*` come before all others. */
export function routeTable(routes: readonly Route[]): FindRoute {
  const exact = new Map(routes.map(route => [route.path, route]).reverse() as [string, Route][])
  const patterns = routes.filter(route => /[:*]/.test(route.path)).map(compile)

  return path => {
    const route = exact.get(path)
    if (route) return { answer: route.answer, params: [] }
    for (const { expression, answer } of patterns) {
      const match = expression.exec(path)
      if (match) return { answer, params: match.slice(1).map(part => decode(part)) }
    }
    return undefined
  }
}

function compile({ path, answer }: Route) {
  const source = path
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '([^/]+)')
    .replace(/\*$/, '(.*)')
  return { expression: new RegExp(`^${source}$`), answer }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function page(content: Html | string, status = 200): Reply {
  const body = content instanceof Html ? content.text : content
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

export function json(data: unknown, status = 200): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: `${JSON.stringify(data, null, 2)}\n`,
  }
}

export function file(contentType: string, body: string | Uint8Array): Reply {
  return { headers: { 'content-type': contentType }, body }
}

export function redirect(location: string, status = 302): Reply {
  return { status, headers: { location } }
}

/** A number from the query, limited to a sensible range. */
export function numberIn(
  visit: Visit,
  name: string,
  standard: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const value = Number(visit.url.searchParams.get(name) ?? standard)
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), most) : standard
}
