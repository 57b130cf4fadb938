// Pages that a test provides instead of the web: by URL, or from a recording.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { givenUrl } from '../../frontier/canonical-url.ts'
import { Failure } from '../../model/failures.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { readExchanges, type WarcExchange } from '../../results/warc-exchanges.ts'
import { madePage } from './golden-cases.ts'
import { keyOf, replaying } from './replay.ts'

/** A page given in code: HTML text, or a whole response. If the body is an object, it is sent as JSON. */
export type Page = string | { status?: number; headers?: Record<string, string>; body?: string | object }

/** Pages by URL. `POST https://…` answers every POST to that URL, with any body. */
export type Pages = Readonly<Record<string, Page>>

/** Recorded exchanges. Each run starts again at the first responses. */
export interface Recording {
  readonly file: string
  /** The requests in order, such as `GET https://…`. */
  readonly requests: readonly string[]
  /** The exchanges themselves, for code that replays them. */
  readonly exchanges: readonly WarcExchange[]
}

export function openRecording(file: string): Recording {
  const exchanges = readExchanges(bytesOf(file))
  return { file, exchanges, requests: exchanges.map(({ request }) => keyOf(request)) }
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `${file} can't be read: ${(cause as Error).message}`,
      { file },
      { cause },
    )
  }
}

const isRecording = (pages: Pages | Recording): pages is Recording => Array.isArray(pages.exchanges)

export function pagesAtHand(pages: Pages | Recording): Fetch {
  if (isRecording(pages)) return replaying(pages.exchanges, basename(pages.file))
  const known = new Map(Object.entries(pages).map(([key, page]) => [pageKey(key), page]))
  return async ({ url, method = 'GET' }) => {
    const asked = `${method} ${url}`
    const page = known.get(asked)
    if (page !== undefined) return pageOf(url, page)
    throw new Failure(
      'replay.unrecorded',
      `${asked} is not one of the given pages: ${[...known.keys()].join(', ') || 'there are none'}`,
      { method, url },
    )
  }
}

/** Normalizes a URL as `open()` does. */
function pageKey(key: string): string {
  const [, method = 'GET', url = ''] = /^(?:(GET|POST) )?(.*)$/.exec(key) ?? []
  const given = givenUrl(url)
  if (given) return `${method} ${given}`
  throw new Failure(
    'input.invalid',
    `pages: "${key}" is not a URL like "https://example.com/" or "POST https://…"`,
  )
}

function pageOf(url: string, page: Page) {
  if (typeof page === 'string') return madePage(url, Buffer.from(page), htmlHeaders)
  const { status = 200, headers = {}, body = '' } = page
  if (typeof body === 'string')
    return madePage(url, Buffer.from(body), { ...htmlHeaders, ...headers }, status)
  return madePage(
    url,
    Buffer.from(JSON.stringify(body)),
    { 'content-type': 'application/json', ...headers },
    status,
  )
}

const htmlHeaders = { 'content-type': 'text/html; charset=utf-8' }
