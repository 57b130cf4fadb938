// A log of the requests to the site, with times. Tests use it to check politeness from the server's side.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'

export interface RequestLogEntry {
  /** When the request arrived: epoch ms, on a clock that never goes backwards. */
  at: number
  method: string
  /** Path and query as the client sent them. */
  url: string
  host: string
  headers: IncomingHttpHeaders
  /** HTTP status. Null until the response has ended, and if the connection was cut or written to directly. */
  status: number | null
  remotePort: number
  /** When the response started, epoch ms; later than `at` for delayed requests. */
  startedAt: number | null
  /** When the last byte was sent or the connection was cut, epoch ms. */
  endedAt: number | null
  /** Requests in flight when this one arrived, including itself. */
  inFlight: number
}

interface RequestLog {
  /** The latest requests, oldest first. When the log is full, the oldest half is dropped. */
  entries: RequestLogEntry[]
  begin(request: IncomingMessage, response: ServerResponse): RequestLogEntry
}

export function openRequestLog(maxEntries: number, ended: (entry: RequestLogEntry) => void): RequestLog {
  const entries: RequestLogEntry[] = []
  let inFlight = 0

  function begin(request: IncomingMessage, response: ServerResponse): RequestLogEntry {
    inFlight += 1
    const entry = newEntry(request, inFlight)
    if (entries.length >= maxEntries) entries.splice(0, Math.ceil(maxEntries / 2))
    entries.push(entry)
    response.once('close', () => {
      inFlight -= 1
      entry.endedAt = nowMs()
      if (response.headersSent) entry.status = response.statusCode
      ended(entry)
    })
    return entry
  }
  return { entries, begin }
}

export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

function newEntry(request: IncomingMessage, inFlight: number): RequestLogEntry {
  return {
    at: nowMs(),
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    host: request.headers.host ?? '',
    headers: request.headers,
    status: null,
    remotePort: request.socket.remotePort ?? 0,
    startedAt: null,
    endedAt: null,
    inFlight,
  }
}
