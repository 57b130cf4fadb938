// Follows redirects. The gate checks every hop, and secret headers are not sent to another origin.
import { isUtf8 } from 'node:buffer'
import { Failure } from '../../model/failures.ts'
import {
  type FetchRequest,
  headerOf,
  type Page,
  type RedirectHop,
  type TakeSlot,
} from '../../model/page/page.ts'
import type { PartExchange } from '../../model/page/page-parts.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { decodeBody, decodeStart } from './decode.ts'
import { type Answer, type Exchange, type ExchangeRequest, isRedirect } from './exchange.ts'
import type { EgressGate } from './gate.ts'
import { type DecidedHeaders, headersTo, type RequestPurpose, setFor } from './header-origins.ts'
import { flat, merge, pairsOf, withoutBody, withoutSecrets } from './headers.ts'

const defaultMaxRedirects = 10
/** The next request. Headers are stored by name, because a redirect may remove some. */
interface Ask extends Pick<ExchangeRequest, 'url' | 'method' | 'body'> {
  headers: DecidedHeaders
}

/** Our default headers for each purpose. */
type OwnHeaders = Readonly<Record<RequestPurpose, DecidedHeaders>>

export function followRedirects(exchange: Exchange, gate: EgressGate, own: OwnHeaders): Fetch {
  const ownFlat = flat(own.page)
  const flatOf = (headers: DecidedHeaders) => (headers === own.page ? ownFlat : flat(headers))

  async function follow(request: FetchRequest, hops: RedirectHop[], signal: AbortSignal): Promise<Page> {
    const { timeouts, maxBytes, isCutAtMax, purpose } = request
    let startedAt = Date.now()
    let deadlineAt = timeouts.totalMs === 0 ? 0 : startedAt + timeouts.totalMs
    let sentAt = 0
    let lastSentAt = 0
    let ask = firstAsk(request, gate, own)
    const redirects: PartExchange[] = []
    for (;;) {
      const { url, method, body } = ask
      const headers = flatOf(ask.headers)
      const asking = { url, method, headers, purpose, body, timeouts, deadlineAt, maxBytes, isCutAtMax }
      const { answer, waitedMs } = await askInTurn(asking, turnOf(request, hops.at(-1), lastSentAt), signal)
      if (deadlineAt !== 0) deadlineAt += waitedMs
      if (hops.length === 0) startedAt += waitedMs
      lastSentAt = answer.sentAt
      sentAt ||= answer.sentAt
      const times = { startedAt, sentAt, ...(hops.length > 0 && { lastSentAt: answer.sentAt }) }
      if (!isRedirect(answer.status)) {
        const said = answer.asked === ownFlat ? {} : { requestHeaders: withoutSecrets(pairsOf(answer.asked)) }
        const parts = redirects.length > 0 && { parts: { exchanges: redirects, skipped: [], isWhole: false } }
        return pageOf(request, url, answer, hops, { ...times, ...said, ...parts })
      }
      redirects.push(redirectPart(ask, answer))
      ask = nextAsk(request, ask, answer, hops, gate)
    }
  }

  /** Takes a slot and sends the request. If the slot passes before the request is sent, for example because the
   *  connection opens slowly, takes another slot. Waiting for slots does not count towards the total timeout. */
  async function askInTurn(
    asking: ExchangeRequest,
    take: TakeSlot | undefined,
    signal: AbortSignal,
  ): Promise<{ answer: Answer; waitedMs: number }> {
    if (!take) return { answer: await exchange(asking, signal), waitedMs: 0 }
    let waitedMs = 0
    for (let lapsed = 0; ; lapsed += 1) {
      const leave = await askLeave(take, lapsed, asking.url)
      waitedMs += leave.waitedMs
      const deadlineAt = asking.deadlineAt === 0 ? 0 : asking.deadlineAt + waitedMs
      try {
        return { answer: await exchange({ ...asking, deadlineAt, onSent: leave.goOut }, signal), waitedMs }
      } catch (error) {
        if (!leave.hasLapsed) throw error
      }
    }
  }

  return async (request, signal) => {
    const hops: RedirectHop[] = []
    try {
      return await follow(request, hops, signal)
    } catch (error) {
      throw hops.length === 0 ? error : atHop(error, hops)
    }
  }
}

/** Adds the redirect to the message, because the URL that failed is not the requested one. */
function atHop(error: unknown, hops: RedirectHop[]): unknown {
  if (!(error instanceof Failure) || error.code.startsWith('redirect.')) return error
  const message = `Redirect ${hops.length} (from ${hops.at(-1)!.from}): ${error.message}`
  return new Failure(
    error.code,
    message,
    { ...error.details, hop: hops.length, asked: hops.at(-1)!.to },
    { cause: error },
  )
}

function firstAsk(request: FetchRequest, gate: EgressGate, own: OwnHeaders): Ask {
  const { purpose = 'page' } = request
  const url = gate.judgeUrl(request.url)
  const said = purpose === 'page' ? merge(own.page, request.headers) : own[purpose]
  return {
    url,
    method: request.method ?? 'GET',
    body: request.body ?? null,
    headers: headersTo(url, setFor(url, said), { purpose }),
  }
}

const turnOf = (
  { beforeFirst, beforeHop }: FetchRequest,
  hop: RedirectHop | undefined,
  sentAt: number,
): TakeSlot | undefined => (hop ? beforeHop && (lapsed => beforeHop(hop, sentAt, lapsed)) : beforeFirst)

interface Leave {
  waitedMs: number
  hasLapsed: boolean
  /** Called when the request is sent. Throws if the slot has expired. */
  goOut(): void
}

async function askLeave(take: TakeSlot, lapsed: number, url: URL): Promise<Leave> {
  const askedAt = Date.now()
  const isGood = await take(lapsed)
  const leave: Leave = {
    waitedMs: Date.now() - askedAt,
    hasLapsed: false,
    goOut() {
      leave.hasLapsed = isGood?.() === false
      if (leave.hasLapsed)
        throw new Failure('host.not-now', `the slot for the request to ${url.href} has expired`)
    },
  }
  return leave
}

function nextAsk(
  request: FetchRequest,
  ask: Ask,
  answer: Answer,
  hops: RedirectHop[],
  gate: EgressGate,
): Ask {
  const maxRedirects = request.maxRedirects ?? defaultMaxRedirects
  const location = headerOf(answer.headers, 'location')
  if (location === null) throw badRedirect(ask.url, `answered ${answer.status} without a Location`)
  if (hops.length >= maxRedirects) throw tooMany(request.url, maxRedirects)
  const target = URL.parse(textOfLocation(location), ask.url.href)
  if (target === null) throw badRedirect(ask.url, 'sent a Location that is not a URL')
  const hop = { from: ask.url.href, to: target.href, status: answer.status }
  hops.push(hop)
  const url = gate.judgeUrl(target.href)
  hop.to = url.href
  return redirected(ask, url, answer.status, request.purpose)
}

/** The recorded redirect. The body of the response is not stored. The body of the request is left out, because it may
 *  contain a password. */
const redirectPart = ({ url, method }: Ask, answer: Answer): PartExchange => ({
  url: url.href,
  method,
  requestHeaders: withoutSecrets(pairsOf(answer.asked)),
  requestBody: null,
  status: answer.status,
  headers: answer.headers,
  body: answer.wire,
  remoteAddress: answer.remoteAddress,
  httpVersion: answer.httpVersion,
  startedAt: answer.sentAt,
  endedAt: Date.now(),
})

/** Node decodes headers as Latin-1. If the bytes of Location are valid UTF-8, the server meant UTF-8. */
function textOfLocation(location: string): string {
  if (!/[^\x00-\x7f]/.test(location)) return location
  const bytes = Buffer.from(location, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : location
}

/** The request after a redirect. 303 becomes a GET, and so do 301 and 302 after a POST, as in browsers. 307 and 308
 *  repeat the request. */
function redirected(ask: Ask, url: URL, status: number, purpose: RequestPurpose | undefined): Ask {
  const becomesGet =
    (status === 303 && ask.method !== 'HEAD') || ((status === 301 || status === 302) && ask.method === 'POST')
  const kept = becomesGet ? withoutBody(ask.headers) : ask.headers
  const body = becomesGet ? null : ask.body
  const headers = headersTo(url, setFor(ask.url, kept), { purpose, hasBody: body !== null })
  return { url, method: becomesGet ? 'GET' : ask.method, body, headers }
}

async function pageOf(
  request: FetchRequest,
  url: URL,
  answer: Answer,
  hops: RedirectHop[],
  asked: Pick<Page, 'startedAt' | 'sentAt' | 'lastSentAt' | 'requestHeaders' | 'parts'>,
): Promise<Page> {
  const { status, headers, encodings, wire, remoteAddress, httpVersion } = answer
  const limits = { maxBytes: request.maxBytes, target: url.host }
  const decode = request.isCutAtMax ? decodeStart : decodeBody
  const body = encodings.length === 0 ? wire : await decode(wire, encodings, limits)
  return {
    url: request.url,
    finalUrl: url.href,
    status,
    headers,
    body,
    wireBytes: wire.length,
    hops,
    remoteAddress,
    httpVersion,
    ...asked,
    endedAt: Date.now(),
  }
}

function badRedirect(from: URL, why: string): Failure {
  return new Failure('redirect.bad', `${from.href} ${why}`, { url: from.href })
}

function tooMany(url: string, maxRedirects: number): Failure {
  return new Failure('redirect.too-many', `${url} redirects more than ${maxRedirects} times`, {
    maxRedirects,
  })
}
