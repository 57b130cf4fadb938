// A page as fetched, and a page request.
import type { Timeouts } from '../policy/policy.ts'
import type { Rendered } from '../policy/rendering.ts'
import type { HeaderList } from './header-list.ts'
import type { PageParts } from './page-parts.ts'

export type { HeaderList } from './header-list.ts'

/** Location of stored bytes: the key of an object, and the range in it if the object is a segment. */
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
  /** Headers for the origin of `url`. After a redirect to another origin, only headers without secrets are sent. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  timeouts: Timeouts
  /** Limit of the decoded body in bytes. */
  maxBytes: number
  /** Cut a longer body at `maxBytes` instead of failing. */
  isCutAtMax?: boolean
  maxRedirects?: number
  /** Waits for the slot of the first request. Unset: the request is sent at once. */
  beforeFirst?: TakeSlot | undefined
  /** Waits for the slot of a redirect hop. `sentAt` is the time when the previous request was sent. */
  beforeHop?: (hop: RedirectHop, sentAt: number, lapsed: number) => ReturnType<TakeSlot>
}

/** Waits for a slot at the host, or throws the Failure that ends the request. The fetch calls the returned function
 *  right before it writes the request to an open connection. The function returns whether the slot is still valid. If
 *  the slot has expired, the fetch requests another slot. `lapsed` is the number of expired slots so far. */
export type TakeSlot = (lapsed: number) => Promise<(() => boolean) | undefined>

export interface RedirectHop {
  from: string
  to: string
  status: number
}

export interface Page {
  /** The URL of the request, before redirects. */
  url: string
  finalUrl: string
  status: number
  headers: HeaderList
  /** The body after Content-Encoding is undone, in its original charset. */
  body: Buffer
  /** Size of the response on the wire. */
  wireBytes: number
  hops: RedirectHop[]
  remoteAddress: string | null
  httpVersion: '1.1' | '2'
  startedAt: number
  /** When the first request was sent on an open connection. The host's rate counts from this time. */
  sentAt: number
  /** When the request of the last redirect hop was sent; unset without redirects. */
  lastSentAt?: number
  endedAt: number
  /** Headers of the last request, without secrets, `host` and `connection`. Absent if they are the usual headers of the job. */
  requestHeaders?: HeaderList
  /** Set if a browser loaded the page; `body` is then the rendered markup. */
  rendered?: Rendered
  /** Exchanges that are stored beside the page. Absent on pages that were read back from storage. */
  parts?: PageParts
}

/** First value of a header, or null. `name` must be in lower case. */
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
