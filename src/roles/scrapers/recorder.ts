// Records the HTTP exchanges of a run, and writes them without secrets.
import { hash } from 'node:crypto'
import { statusFailure } from '../../fetch/http/index.ts'
import { harmlessRequestHeaders, sensitivityOf } from '../../lib/secrets/sensitive-names.ts'
import { version } from '../../lib/user-agent.ts'
import { type FetchRequest, type HeaderList, mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { FetchLayer } from '../../ports/fetch.ts'
import type { WarcRequest } from '../../results/warc.ts'
import { type WarcExchange, writeExchanges } from '../../results/warc-exchanges.ts'
import { KnownSecrets } from './known-secrets.ts'
import { cutLinks, cutMark, cutSentBody, cutUrl } from './remove-secrets.ts'

export class Recorder {
  readonly #exchanges: Array<{ request: FetchRequest; page: Page }> = []

  /** Wraps the fetch of a run and stores its exchanges. */
  readonly layer: FetchLayer = fetch => async (request, signal) => {
    const page = await fetch(request, signal)
    if (isOfTheRun(request, page)) this.#exchanges.push({ request, page })
    return page
  }

  get count(): number {
    return this.#exchanges.length
  }

  /** Collects the secrets of all exchanges first, because a secret from a later response may also occur in an earlier
   *  page. */
  cut(known: KnownSecrets = new KnownSecrets()): WarcExchange[] {
    for (const { request, page } of this.#exchanges) {
      for (const [name, value] of Object.entries(request.headers ?? {})) noteSent(name, value, known)
      for (const [name, value] of page.headers) if (sensitivityOf(name)) known.addHeader(name, value)
      cutExchange(request, page, known)
    }
    return this.#exchanges.map(({ request, page }) => cutExchange(request, page, known))
  }

  /** The exchanges as a WARC file. */
  write(known?: KnownSecrets): Buffer {
    return writeExchanges(this.cut(known), `kscrape/${version}`)
  }
}

/** Whether the exchange belongs to the run. The engine, not the scraper, requests robots.txt. A response that the engine
 *  retries is left out as well. */
const isOfTheRun = (request: FetchRequest, page: Page): boolean =>
  new URL(request.url).pathname !== '/robots.txt' && statusFailure(page, page.endedAt)?.rule.retry !== 'later'

function noteSent(name: string, value: string, known: KnownSecrets): void {
  if (sensitivityOf(name)) known.addHeader(name, value)
  else if (!harmlessRequestHeaders.has(name.toLowerCase())) known.add(value, 'weak')
}

/** Removes secrets and redirect steps. A replay answers each request with its final page, so it needs no redirects. */
function cutExchange(request: FetchRequest, { parts: _, ...page }: Page, known: KnownSecrets): WarcExchange {
  const url = (text: string) => known.cutText(cutUrl(text, known.add))
  return {
    request: recordedRequest(request, known),
    page: {
      ...page,
      url: url(page.url),
      finalUrl: url(page.finalUrl),
      hops: page.hops.map(hop => ({ ...hop, from: url(hop.from), to: url(hop.to) })),
      headers: known.cutHeaders(
        page.headers.map(([name, value]) => [name, answeredHeader(name, value, known)]),
      ),
      body: cutPageBody(page, known),
    },
  }
}

function answeredHeader(name: string, value: string, known: KnownSecrets): string {
  if (sensitivityOf(name)) return cutMark
  return /^(location|content-location|link|refresh)$/.test(name) ? cutLinks(value, known.add) : value
}

function cutPageBody(page: Page, known: KnownSecrets): Buffer {
  if (!/^(text\/|$)|json|xml|javascript/.test(mediaTypeOf(page.headers))) return known.cutBytes(page.body)
  const text = page.body.toString('latin1')
  const cut = cutLinks(text, known.add)
  return known.cutBytes(cut === text ? page.body : Buffer.from(cut, 'latin1'))
}

/** The request as it is stored in a recording. All secrets are replaced by the same mark, so a replay needs no secret. */
export function recordedRequest(request: FetchRequest, known = new KnownSecrets()): WarcRequest {
  const headers: HeaderList = Object.entries(request.headers ?? {}).map(([name, value]) => {
    const lower = name.toLowerCase()
    return [lower, harmlessRequestHeaders.has(lower) ? cutLinks(value, known.add) : cutMark]
  })
  return {
    method: request.method ?? 'GET',
    url: known.cutText(cutUrl(request.url, known.add)),
    headers: known.cutHeaders(headers),
    bodyDigest: request.body === undefined ? null : digestOf(request.body, known),
  }
}

function digestOf(body: string | Uint8Array, known: KnownSecrets): string {
  const sent = typeof body === 'string' ? known.cutText(cutSentBody(body, known.add)) : body
  return `sha256:${hash('sha256', sent)}`
}
