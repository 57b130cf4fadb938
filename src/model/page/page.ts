// A page: what was fetched, and what it takes to ask for one.
import type { Timeouts } from '../policy/policy.ts'
import type { Rendered } from '../policy/rendering.ts'

export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

/** Where bytes are kept: an object, and for a segment the range in it. */
export interface BlobRef {
  key: string
  offset: number
  length: number
}

export interface FetchRequest {
  url: string
  method?: 'GET' | 'HEAD' | 'POST'
  /** `robots` goes without cookies, and says only who we are; `headers` do not go along. A page where nothing is said. */
  purpose?: 'page' | 'robots'
  /** Sent to the origin of `url`; across origins only the harmless ones go along. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  timeouts: Timeouts
  /** Cap on the decoded body. */
  maxBytes: number
  /** A longer body is cut there and is no failure. */
  isCutAtMax?: boolean
  maxRedirects?: number
  /** Asked before the first request. Without it, that goes out at once. */
  beforeFirst?: TakeTurn | undefined
  /** The same before each redirect hop, with when the one before was sent. */
  beforeHop?: (hop: RedirectHop, sentAt: number, lapsed: number) => ReturnType<TakeTurn>
}

/**
 * Waits for a turn at the host, or throws the Failure that ends the request. Answers with what is asked right before the request is
 * written, on a connection that is there: whether the turn is still good. One that `lapsed` is asked for again.
 */
export type TakeTurn = (lapsed: number) => Promise<(() => boolean) | undefined>

export interface RedirectHop {
  from: string
  to: string
  status: number
}

export interface Page {
  /** As asked for. */
  url: string
  finalUrl: string
  status: number
  headers: HeaderList
  /** Content-Encoding undone; the charset is not. */
  body: Buffer
  /** Bytes as they came over the wire. */
  wireBytes: number
  hops: RedirectHop[]
  remoteAddress: string | null
  httpVersion: '1.1' | '2'
  startedAt: number
  /** When the first request went out, on a connection that was there: what the host's pace is counted by. */
  sentAt: number
  /** The same of the last hop, where there was one. */
  lastSentAt?: number
  endedAt: number
  /**
   * Those of the last request as they were sent, secrets cut out; what the connection itself says (`host`, `connection`) is not among
   * them. Not there where it said what all requests of its job say.
   */
  requestHeaders?: HeaderList
  /** Only where a browser brought it; `body` is then the markup that the browser made of it. */
  rendered?: Rendered
}

/** First value of a header; names are kept in lower case. */
export function headerOf(headers: HeaderList, name: string): string | null {
  for (const [key, value] of headers) if (key === name) return value
  return null
}

/** `text/html; charset=x` → `text/html`. */
export function mediaTypeOf(headers: HeaderList): string {
  return (headerOf(headers, 'content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
}
