// Builds one recorded request with its response from the events of the browser.

import { cutMark } from '../../../lib/secrets/secret-forms.ts'
import type { HeaderList } from '../../../model/page/page.ts'
import type { PartExchange } from '../../../model/page/page-parts.ts'
import { withoutSecrets } from '../../http/index.ts'
import { headerList } from './main-document.ts'
import type { ResponseInfo } from './protocol.ts'

/** A request that has not ended yet. */
export interface PendingPart {
  url: string
  method: string
  headers: Record<string, string>
  body: Buffer | null
  startedAt: number
  /** Number of redirects before this request. */
  hop: number
  /** Bytes of the decoded body so far. */
  length: number
  response: ResponseInfo | null
}

/** Headers as they were on the wire, one entry for each hop of a request. */
export interface Received {
  sent: Array<Record<string, string>>
  answered: Array<{ headers: Record<string, string>; status: number }>
}

export function partOf(
  part: PendingPart,
  received: Received | undefined,
  { bytes, isReencoded = false }: { bytes: Buffer; isReencoded?: boolean },
): PartExchange {
  const response = part.response!
  const onWire = received?.answered[part.hop]
  // If the server responded 304 to a revalidation, the page got the cached response. Then the headers of the cached
  // response are stored.
  const headers = headerList(onWire?.status === response.status ? onWire.headers : response.headers)
  const tookMs = response.timing?.receiveHeadersEnd ?? 0
  return {
    url: withoutHash(part.url),
    method: part.method,
    requestHeaders: shownHeaders(received?.sent[part.hop] ?? part.headers),
    requestBody: part.body,
    status: response.status,
    headers: isReencoded ? asUtf8(headers) : headers,
    body: bytes,
    ...(isReencoded && { isReencoded }),
    remoteAddress: response.remoteIPAddress?.replace(/^\[|\]$/g, '') || null,
    httpVersion: /^h2|^h3/.test(response.protocol ?? '') ? '2' : '1.1',
    startedAt: part.startedAt,
    endedAt: part.startedAt + Math.max(0, Math.round(tookMs)),
  }
}

const withoutHash = (url: string): string => url.split('#', 1)[0]!

/** Drops HTTP/2 pseudo-headers and Host, because the request line contains their values. Also drops headers that
 *  contain secrets. */
const shownHeaders = (headers: Record<string, string>): HeaderList =>
  withoutSecrets(headerList(headers).filter(([name]) => !name.startsWith(':') && name !== 'host')).filter(
    ([, value]) => value !== cutMark,
  )

function asUtf8(headers: HeaderList): HeaderList {
  return headers.flatMap(([name, value]) => {
    if (name !== 'content-type') return [[name, value] as const]
    const type = value.split(';', 1)[0]!.trim()
    return [['content-type', `${type}; charset=utf-8`] as const, ['x-orig-content-type', value] as const]
  })
}
