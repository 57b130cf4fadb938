// The main document that a tab is loading: its redirects, response and size.
import type { HeaderList, RedirectHop } from '../../../model/page/page.ts'
import type { EventOf, ResponseInfo } from './protocol.ts'

export class MainDocument {
  #requestId: string | null = null
  #bytes = 0
  url = ''
  status = 0
  headers: HeaderList = []
  /** Headers of the last request of the document. First those that Chromium intended to send, later those that it sent. */
  requestHeaders: HeaderList = []
  hops: RedirectHop[] = []

  /** Returns this document after a redirect of the same request. Another request, by a script or a refresh, starts a
   *  new document. */
  requested({ requestId, request, redirectResponse }: EventOf<'Network.requestWillBeSent'>): MainDocument {
    if (requestId !== this.#requestId || redirectResponse === undefined)
      return MainDocument.at(requestId, request)
    this.hops.push({ from: redirectResponse.url, to: request.url, status: redirectResponse.status })
    this.url = request.url
    return this
  }

  isOf(requestId: string): boolean {
    return requestId === this.#requestId
  }

  sent(requestId: string, headers: Record<string, string>): void {
    if (this.isOf(requestId)) this.requestHeaders = Object.entries(headers)
  }

  answered(requestId: string, response: ResponseInfo): void {
    if (!this.isOf(requestId)) return
    this.status = response.status
    this.headers = headerList(response.headers)
    this.url = response.url
  }

  /** Counts received bytes. Returns true if the document is now larger than `maxBytes`. */
  received(requestId: string, bytes: number, maxBytes: number): boolean {
    if (!this.isOf(requestId)) return false
    this.#bytes += bytes
    return this.#bytes > maxBytes
  }

  static at(
    requestId: string,
    { url, headers }: EventOf<'Network.requestWillBeSent'>['request'],
  ): MainDocument {
    const document = new MainDocument()
    document.#requestId = requestId
    document.url = url
    document.sent(requestId, headers)
    return document
  }
}

/** Chromium joins the values of a repeated header with line breaks. */
export function headerList(headers: Record<string, string>): HeaderList {
  return Object.entries(headers).flatMap(([name, value]) =>
    value.split('\n').map(line => [name.toLowerCase(), line] as const),
  )
}
