// Sends records to OpenSearch, or to a server with a compatible bulk API.
import { Failure } from '../../model/failures.ts'
import { headerOf, type Page } from '../../model/page/page.ts'
import type { Fetch } from '../../ports/fetch.ts'
import type { RecordSink, Sent, SinkRecord } from '../../ports/record-sink.ts'
import { bulkBody, readAnswers } from './bulk.ts'

interface OpenSearchOptions {
  fetch: Fetch
  /** URL of the endpoint; its path is a prefix. */
  url: string
  /** Index name, in which placeholders such as `{workspace}` are replaced. */
  index: string
  /** The `Authorization` header; null if none is sent. */
  authorization: string | null
}

const timeouts = { connectMs: 10_000, headersMs: 60_000, idleMs: 60_000, totalMs: 120_000 }
const mostAnswerBytes = 64 << 20

export function openSearchSink(options: OpenSearchOptions): RecordSink {
  return { send: (records, signal) => sendAll(options, records, signal) }
}

/** If the server refuses a whole body, splits it in halves until the bad record is found. */
async function sendAll(
  options: OpenSearchOptions,
  records: readonly SinkRecord[],
  signal: AbortSignal,
): Promise<Sent[]> {
  if (records.length === 0) return []
  const page = await post(options, bulkBody(records, options.index), signal)
  if (page.status === 200) return answersIn(page, records.length)
  if (!isRefused(page.status)) throw notNow(options.url, page)
  if (records.length === 1) return [{ is: 'dead', reason: `${page.status} ${textOf(page)}`.trim() }]
  const half = records.length >> 1
  const first = await sendAll(options, records.slice(0, half), signal)
  return [...first, ...(await sendAll(options, records.slice(half), signal))]
}

/** Whether a retry would get the same response: the body is too large or invalid. The statuses 401 and 403 are not included,
 *  because the operator can correct the rights. */
const isRefused = (status: number): boolean => status === 413 || status === 400 || status === 422

function post(
  { fetch, url, authorization }: OpenSearchOptions,
  body: string,
  signal: AbortSignal,
): Promise<Page> {
  const headers = {
    'content-type': 'application/x-ndjson',
    accept: 'application/json',
    ...(authorization !== null && { authorization }),
  }
  const place = `${url.replace(/\/+$/, '')}/_bulk`
  const limits = { timeouts, maxBytes: mostAnswerBytes, maxRedirects: 0 }
  return fetch({ url: place, method: 'POST', headers, body, ...limits }, signal)
}

function answersIn(page: Page, count: number): Sent[] {
  const answers = readAnswers(page.body.toString('utf8'), count)
  if (answers) return answers
  throw new Failure(
    'sink.unavailable',
    `${page.url} answered 200 with a body that is not a response to ${count} records: is SCRAPER_OPENSEARCH_URL an OpenSearch endpoint?`,
    { url: page.url },
  )
}

const textOf = ({ body }: Page): string => body.toString('utf8').replace(/\s+/g, ' ').slice(0, 500)

function notNow(url: string, page: Page): Failure {
  const after = Number(headerOf(page.headers, 'retry-after'))
  const way =
    page.status === 401 || page.status === 403
      ? '; check SCRAPER_OPENSEARCH_USER, SCRAPER_OPENSEARCH_PASSWORD or SCRAPER_OPENSEARCH_API_KEY'
      : '; the request is retried'
  return new Failure('sink.unavailable', `${url} answered ${page.status} to records${way}`, {
    status: page.status,
    ...(after > 0 && { retryAfterMs: after * 1_000 }),
  })
}
