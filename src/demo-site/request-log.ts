// Requests to the site, with times: tests prove politeness from the server's side.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'

export interface RequestLogEntry {
  /** When the request arrived: milliseconds since 1970, on a clock that never steps back. */
  at: number
  method: string
  /** Path and query, as sent. */
  url: string
  host: string
  headers: IncomingHttpHeaders
  /** Null until the response ended. Stays null if the connection was cut or written to directly. */
  status: number | null
  remotePort: number
  /** When the response started; later than `at` for held and slow requests. */
  startedAt: number | null
  /** When the last byte was handed over or the connection was cut. */
  endedAt: number | null
  /** How many requests the site was answering when this one arrived, itself included. */
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

/** The times between arrivals that followed each other. */
export function gapsMs(requests: readonly RequestLogEntry[]): number[] {
  const arrivals = requests.map(request => request.at).sort((a, b) => a - b)
  return arrivals.slice(1).map((at, index) => at - arrivals[index]!)
}

/** The highest number of these requests in flight at one moment. */
export function maxInFlight(requests: readonly RequestLogEntry[]): number {
  const starts = requests.map(({ at }) => ({ at, change: 1 }))
  const ends = requests.map(({ endedAt }) => ({ at: endedAt ?? Number.POSITIVE_INFINITY, change: -1 }))
  let now = 0
  let most = 0
  // At the same moment, ends count before starts: one request made room for the other.
  for (const { change } of [...starts, ...ends].sort((a, b) => a.at - b.at || a.change - b.change)) {
    now += change
    most = Math.max(most, now)
  }
  return most
}
