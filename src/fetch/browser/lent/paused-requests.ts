// The headers of requests that wait for the client. They show which headers the client changes.
import type { EventOf } from '../cdp/protocol.ts'

type Headers = Readonly<Record<string, string>>

/** If a client answers none of its requests, the oldest ones are forgotten. */
const mostRequests = 1_000

export class PausedRequests {
  readonly #headers = new Map<unknown, Headers>()

  add({ requestId, request }: Pick<EventOf<'Fetch.requestPaused'>, 'requestId' | 'request'>): void {
    this.#headers.delete(requestId)
    this.#headers.set(requestId, request.headers)
    const [oldest] = this.#headers.keys()
    if (this.#headers.size > mostRequests) this.#headers.delete(oldest)
  }

  headersOf(requestId: unknown): Headers {
    return this.#headers.get(requestId) ?? {}
  }
}
