// The requests and responses of a scraper run. They are stored with its last page, so that the run can be replayed.
import { hash } from 'node:crypto'
import { canonicalUrl } from '../../../frontier/canonical-url.ts'
import type { FetchRequest, Page } from '../../../model/page/page.ts'
import type { WarcRequest } from '../../../results/warc.ts'
import type { WarcExchange } from '../../../results/warc-exchanges.ts'

/** Limit of all response bodies of one run, in bytes. Above it, only the last page is stored. */
const maxBytes = 33_554_432

type Asked = Pick<FetchRequest, 'url' | 'method' | 'body'>

/** A request with its response, to store. Of the request body, only a digest is stored. */
export const exchangeOf = (asked: Asked, page: Page): WarcExchange => ({ request: requestOf(asked), page })

const requestOf = ({ url, method = 'GET', body }: Asked): WarcRequest => ({
  method,
  url,
  headers: [],
  bodyDigest: body === undefined ? null : `sha256:${hash('sha256', body)}`,
})

export class StoredExchanges {
  #exchanges: WarcExchange[] = []
  #bytes = 0

  add(exchange: WarcExchange): void {
    this.#bytes += exchange.page.body.length
    if (this.#bytes <= maxBytes) this.#exchanges.push(exchange)
    else this.#exchanges = []
  }

  /** All exchanges. Null if only the last page is stored: it was the only request and a GET, or the size limit was exceeded. */
  get all(): readonly WarcExchange[] | null {
    return this.#bytes > maxBytes ? null : beyondPage(this.#exchanges)
  }
}

/** The exchanges to store. Null if the page alone is enough to replay the run. */
export function beyondPage(exchanges: readonly WarcExchange[]): readonly WarcExchange[] | null {
  const [first, second] = exchanges
  return second === undefined && (first?.request.method ?? 'GET') === 'GET' ? null : exchanges
}

/** Replays stored responses. Equal requests get their responses in order; then the last response repeats. */
export class Answers {
  readonly #exchanges: readonly WarcExchange[]
  readonly #given = new Map<string, number>()

  constructor(exchanges: readonly WarcExchange[]) {
    this.#exchanges = exchanges
  }

  /** Returns the next recorded response to this request. Null if the request was not recorded. */
  to(asked: Asked): Page | null {
    const request = requestOf(asked)
    const same = this.#exchanges.filter(exchange => isSame(exchange, request))
    if (same.length === 0) return null
    const key = `${request.method} ${request.url} ${request.bodyDigest}`
    const nth = this.#given.get(key) ?? 0
    this.#given.set(key, nth + 1)
    return same[Math.min(nth, same.length - 1)]!.page
  }
}

/** Whether the exchange matches the request. The URL after redirects also matches. */
function isSame({ request, page }: WarcExchange, asked: WarcRequest): boolean {
  if (request.method !== asked.method || request.bodyDigest !== asked.bodyDigest) return false
  return [request.url, page.url, page.finalUrl].some(known => sameUrl(known, asked.url))
}

const sameUrl = (a: string, b: string): boolean =>
  a === b || canonicalUrl(a, { query: 'keep' }) === canonicalUrl(b, { query: 'keep' })
