// Sends queries to a search engine with SearXNG's JSON interface. Requests go through the egress gate and follow no redirects.

import { asFailure, Failure } from '../../model/failures.ts'
import { objectIn } from '../../model/json.ts'
import type { Page } from '../../model/page/page.ts'
import type { Fetch } from '../../ports/fetch.ts'

const searchKinds = ['web', 'news', 'images'] as const
export type SearchKind = (typeof searchKinds)[number]

export interface WebQuery {
  query: string
  kind: SearchKind
  /** A category like `science` or `it`, which replaces the default category of `kind`. */
  category?: string | undefined
  limit: number
  /** A language like `de` or `de-AT`. */
  language?: string | undefined
  timeRange?: 'day' | 'week' | 'month' | 'year' | undefined
}

export interface WebResult {
  url: string
  title: string
  description: string
  /** ISO 8601, as the engine returns it. */
  date: string | null
  imageUrl: string | null
  imageWidth: number | null
  imageHeight: number | null
}

export interface WebSearch {
  search(query: WebQuery, signal: AbortSignal): Promise<WebResult[]>
}

const categories: Record<SearchKind, string> = { web: 'general', news: 'news', images: 'images' }
const mostPages = 5
const maxBytes = 4_000_000
const timeoutMs = 20_000

/** Requests further result pages until there are enough results. */
export const searxng = (fetch: Fetch, baseUrl: string): WebSearch => ({
  async search(query, signal) {
    const found = new Map<string, WebResult>()
    for (let page = 1; page <= mostPages && found.size < query.limit; page++) {
      const before = found.size
      for (const result of await resultsOn(fetch, addressOf(baseUrl, query, page), signal))
        if (!found.has(result.url)) found.set(result.url, result)
      if (found.size === before) break
    }
    return [...found.values()].slice(0, query.limit)
  },
})

export function addressOf(baseUrl: string, query: WebQuery, page: number): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/search`)
  const { kind, category = categories[kind], language, timeRange } = query
  const given = { q: query.query, format: 'json', categories: category, pageno: String(page) }
  for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value)
  if (language !== undefined) url.searchParams.set('language', language)
  if (timeRange !== undefined) url.searchParams.set('time_range', timeRange)
  return url.href
}

async function resultsOn(fetch: Fetch, url: string, signal: AbortSignal): Promise<WebResult[]> {
  const timeouts = { connectMs: timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs }
  const headers = { accept: 'application/json' }
  const page = await fetch({ url, headers, timeouts, maxBytes, maxRedirects: 0 }, signal).catch(error => {
    throw unreachable(asFailure(error), url)
  })
  if (page.status !== 200) throw refused(page)
  return resultsIn(page)
}

/** The failure that callers see. It must not contain the address of the engine, because the address may contain a
 *  key. */
const unreachable = ({ code, message }: Failure, url: string): Failure =>
  new Failure(
    code,
    `the search engine (SCRAPER_SEARXNG_URL) could not be reached: ${message.replaceAll(url, new URL(url).host)}`,
  )

function refused({ url, status }: Page): Failure {
  const { host } = new URL(url)
  const why = status === 403 ? '; its settings must allow the format "json" (search.formats)' : ''
  return new Failure(
    'http.server-error',
    `the search engine ${host} (SCRAPER_SEARXNG_URL) answered ${status}${why}`,
    { status },
  )
}

export function resultsIn({ url, body }: Pick<Page, 'url' | 'body'>): WebResult[] {
  const { results } = objectIn(body.toString('utf8')) as { results?: unknown }
  if (!Array.isArray(results))
    throw new Failure(
      'content.unreadable',
      `the search engine ${new URL(url).host} (SCRAPER_SEARXNG_URL) answered without "results"; it must have SearXNG's JSON interface`,
    )
  return results.flatMap(resultOf)
}

function resultOf(given: Record<string, unknown> | null): WebResult[] {
  const { url, title, content, publishedDate, img_src: image, resolution } = given ?? {}
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return []
  const size = /^(\d+)\s*[x×]\s*(\d+)$/.exec(textOf(resolution))
  return [
    {
      url,
      title: textOf(title),
      description: textOf(content),
      date: typeof publishedDate === 'string' ? publishedDate : null,
      imageUrl: typeof image === 'string' && /^https?:\/\//i.test(image) ? image : null,
      imageWidth: size ? Number(size[1]) : null,
      imageHeight: size ? Number(size[2]) : null,
    },
  ]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
