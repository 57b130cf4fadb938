// A page as fetched, and a page request.
import type { Timeouts } from '../policy/policy.ts'
import type { Rendered } from '../policy/rendering.ts'
import type { HeaderList } from './header-list.ts'
import type { PageParts } from './page-parts.ts'

export type { HeaderList } from './header-list.ts'

/** Location of stored bytes: an object, and for a segment the range in it. */
export interface BlobRef {
  key: string
  offset: number
  length: number
}

export interface FetchRequest {
  url: string
  method?: 'GET' | 'HEAD' | 'POST'
  /** `robots` sends no cookies, no `headers`, and only our user agent. Default: `page`. */
  purpose?: 'page' | 'robots'
  /** Sent to the origin of `url`; only safe ones go to other origins. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  timeouts: Timeouts
  /** Cap on the decoded body. */
  maxBytes: number
  /** A longer body is cut and is not a failure. */
  isCutAtMax?: boolean
  maxRedirects?: number
  /** Called before the first request. Without it, the request is sent at once. */
  beforeFirst?: TakeTurn | undefined
  /** The same before each redirect hop, with the time of the previous request. */
  beforeHop?: (hop: RedirectHop, sentAt: number, lapsed: number) => ReturnType<TakeTurn>
}

/** Waits for a slot at the host, or throws the Failure that ends the request. The returned function is called right before
 *  the request is written to an open connection: it returns whether the slot is still valid. If not, `lapsed` slots are
 *  requested again. */
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
  /** Bytes on the wire. */
  wireBytes: number
  hops: RedirectHop[]
  remoteAddress: string | null
  httpVersion: '1.1' | '2'
  startedAt: number
  /** When the first request was sent on an open connection; the host's rate counts from here. */
  sentAt: number
  /** The same for the last hop, if any. */
  lastSentAt?: number
  endedAt: number
  /** Headers of the last request, without secrets, `host` and `connection`. Absent if they equal those of all requests of the job. */
  requestHeaders?: HeaderList
  /** Only with a browser; `body` is then its markup. */
  rendered?: Rendered
  /** Exchanges that are stored beside the page; absent on pages that were read back. */
  parts?: PageParts
}

/** First value of a header; names are in lower case. */
export function headerOf(headers: HeaderList, name: string): string | null {
  for (let index = 0; index < headers.length; index++)
    if (headers[index]![0] === name) return headers[index]![1]
  return null
}

/** `text/html; charset=x` → `text/html`. */
export function mediaTypeOf(headers: HeaderList): string {
  const type = headerOf(headers, 'content-type') ?? ''
  const end = type.indexOf(';')
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase()
}
