// Sends one request with undici's dispatch API and receives its response. It follows no redirects and handles no
// cookies. The body stays encoded.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { offAbort, onAbort } from '../../lib/abort-handlers.ts'
import { Failure } from '../../model/failures.ts'
import { type HeaderList, headerOf } from '../../model/page/page.ts'
import type { Timeouts } from '../../model/policy/policy.ts'
import { basicAuthorization } from '../proxies/connect-tunnel.ts'
import { isForwarding } from '../proxies/dial.ts'
import type { ProxyAddress } from '../proxies/endpoint.ts'
import { doubtfulFailure, wrongPassword } from '../proxies/failures.ts'
import { failureOf, timedOut } from './classify.ts'
import { encodingsOf, tooLarge } from './decode.ts'
import type { RequestPurpose } from './header-origins.ts'
import type { FlatHeaders } from './headers.ts'
import type { PlainHandler } from './plain/plain-request.ts'
import type { OriginPool, Pools } from './pools.ts'

type Method = 'GET' | 'HEAD' | 'POST'

export interface ExchangeRequest {
  url: URL
  method: Method
  headers: FlatHeaders
  /** Default: `page`. */
  purpose?: RequestPurpose | undefined
  body: string | Uint8Array | null
  timeouts: Timeouts
  /** End of the whole fetch, redirects included, in epoch ms. 0 means no limit. */
  deadlineAt: number
  maxBytes: number
  isCutAtMax?: boolean | undefined
  /** Called when the request is written to its connection. */
  onSent?: (() => void) | undefined
  /** The proxy to use. Without one, the connection is direct. */
  proxy?: ProxyAddress
}

export interface Answer {
  status: number
  headers: HeaderList
  encodings: string[]
  /** The body as received. Empty for a redirect, whose body is not used. */
  wire: Buffer
  remoteAddress: string | null
  httpVersion: '1.1' | '2'
  /** When the request was written to its connection, in epoch ms. */
  sentAt: number
  /** The request headers, as the caller gave them. */
  asked: string[]
}

export type Exchange = (request: ExchangeRequest, signal: AbortSignal) => Promise<Answer>

/** An encoded body may be larger than `maxBytes` by at most this many bytes, because encoding can enlarge the content. */
const encodedSlackBytes = 65_536
/** The body of a redirect is read to the end so that the connection can be reused, but only up to this size. */
const maxDrainBytes = 65_536
const maxDrainMs = 2_000

export const exchangeOver =
  (pools: Pools): Exchange =>
  async (request, signal) => {
    const first = new OneExchange(request, pools, signal)
    try {
      return await first.answer
    } catch (error) {
      if (!first.diedUnanswered) throw error
      return new OneExchange(request, pools, signal).answer
    }
  }

/** Returns an exchange that sends all requests through one proxy. Its failures name the proxy. */
export const throughProxy =
  (exchange: Exchange, proxy: ProxyAddress): Exchange =>
  async (request, signal) => {
    const isWhole = request.url.protocol === 'http:' && isForwarding(proxy)
    try {
      const answer = await exchange({ ...request, proxy }, signal)
      // A 407 inside a tunnel comes from the site, so it is returned as a response.
      if (isWhole && answer.status === 407) throw wrongPassword(proxy)
      if (isWhole && isProxysOwn(answer))
        throw doubtfulFailure(
          proxy,
          'connect.failed',
          `did not get through to ${request.url.host} (${answer.status})`,
        )
      return answer
    } catch (error) {
      if (!(error instanceof Failure) || 'proxy' in error.details) throw error
      const { code, message, details } = error
      throw new Failure(code, `${message}, through ${proxy.name}`, { ...details, proxy: proxy.name })
    }
  }

/** Headers that mark an error of the proxy itself, as defined by RFC 9209, Squid and Bright Data. */
const proxyErrorHeaders = ['proxy-status', 'x-squid-error', 'x-brd-error', 'x-luminati-error']

const isProxysOwn = ({ status, headers }: Answer): boolean =>
  status >= 500 && proxyErrorHeaders.some(name => headerOf(headers, name) !== null)

export const isRedirect = (status: number) =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308

class OneExchange implements PlainHandler {
  readonly answer: Promise<Answer>
  /** True if a reused socket was closed before the first byte of the response, and the request is not a POST. The
   *  request may then be repeated. */
  diedUnanswered = false

  readonly #request: ExchangeRequest
  readonly #origin: OriginPool
  readonly #signal: AbortSignal
  readonly #openedBefore: number
  #resolve!: (answer: Answer) => void
  #reject!: (failure: Failure) => void
  #timer: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | null = null
  #onKeptSocket = false
  #brokenBefore = 0
  #answering = false
  #settled = false
  #head: Answer | null = null
  #capBytes = 0
  #chunks: Buffer[] = []
  #bytes = 0
  #sentAt = 0

  constructor(request: ExchangeRequest, pools: Pools, signal: AbortSignal) {
    this.#request = request
    this.#signal = signal
    this.#origin = pools.of(request.url, request.timeouts.connectMs, request.proxy)
    this.#openedBefore = this.#origin.opened
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#start()
  }

  #start(): void {
    this.#origin.inFlight++
    if (this.#signal.aborted) this.#onAbort()
    else onAbort(this.#signal, this.#onAbort)
    this.#startClock()
    if (!this.#settled) this.#origin.pool.dispatch(this.#options(), this)
  }

  #startClock(): void {
    const { deadlineAt } = this.#request
    if (deadlineAt === 0 || this.#settled) return
    const leftMs = deadlineAt - Date.now()
    if (leftMs <= 0) this.#timeUp()
    else this.#timer = setTimeout(() => this.#timeUp(), leftMs)
  }

  #options(): Dispatcher.DispatchOptions {
    const { url, method, headers, body, timeouts, proxy } = this.#request
    const asWhole = proxy !== undefined && url.protocol === 'http:' && isForwarding(proxy)
    return {
      path: asWhole ? `${url.origin}${url.pathname}${url.search}` : url.pathname + url.search,
      method,
      headers: asWhole ? withAuthorization(headers, proxy) : headers,
      body: body as Buffer | null,
      headersTimeout: timeouts.headersMs,
      bodyTimeout: timeouts.idleMs,
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The request was cancelled while it waited for a connection. Throw here, because an abort would close the socket.
    if (this.#settled) throw new Failure('worker.stopping', 'The request was cancelled before it was sent')
    this.#controller = controller
    this.#sentAt = Date.now()
    this.#request.onSent?.()
    this.#onKeptSocket = this.#origin.opened === this.#openedBefore
    this.#brokenBefore = this.#origin.broken
  }

  onResponseStarted(): void {
    this.#answering = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, raw: IncomingHttpHeaders): void {
    if (status < 200) return
    // undici passes HTTP/2 headers as an object and HTTP/1 headers as a list.
    this.#begin(controller, status, headerListOf(raw), Array.isArray(controller.rawHeaders) ? '1.1' : '2')
  }

  onPlainHead(controller: Dispatcher.DispatchController, status: number, headers: HeaderList): void {
    this.#begin(controller, status, headers, '1.1')
  }

  #begin(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: HeaderList,
    httpVersion: Answer['httpVersion'],
  ): void {
    const encodings = encodingsOf(headerOf(headers, 'content-encoding'))
    this.#head = {
      status,
      headers,
      encodings,
      wire: emptyBody,
      remoteAddress: this.#origin.remoteAddress,
      httpVersion,
      sentAt: this.#sentAt,
      asked: this.#request.headers,
    }
    if (isRedirect(status) && headerOf(headers, 'location') !== null) this.#finishAndDrain(controller)
    else this.#capBody(headers, encodings.length > 0)
  }

  #finishAndDrain(controller: Dispatcher.DispatchController): void {
    this.#finish()
    this.#timer = setTimeout(() => controller.abort(new Error('the rest takes too long')), maxDrainMs).unref()
  }

  #capBody(headers: HeaderList, isEncoded: boolean): void {
    const { maxBytes, method, isCutAtMax } = this.#request
    this.#capBytes = isEncoded ? maxBytes + encodedSlackBytes : maxBytes
    const announced = Number(headerOf(headers, 'content-length') ?? 0)
    if (method !== 'HEAD' && announced > this.#capBytes && !isCutAtMax) this.#fail(this.#tooLarge())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#settled) {
      if (this.#bytes > maxDrainBytes) controller.abort(new Error('the rest is not wanted'))
    } else if (this.#bytes <= this.#capBytes) this.#chunks.push(chunk)
    else if (this.#request.isCutAtMax) this.#cutAtCap(controller, chunk)
    else this.#fail(this.#tooLarge())
  }

  #cutAtCap(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk.subarray(0, chunk.length - (this.#bytes - this.#capBytes)))
    this.#finishBody()
    controller.abort(new Error('the rest is not wanted'))
  }

  onResponseEnd(): void {
    if (this.#settled) clearTimeout(this.#timer)
    else if (this.#wasCutOff()) this.#fail(this.#cutOff())
    else this.#finishBody()
  }

  #wasCutOff(): boolean {
    return this.#origin.broken !== this.#brokenBefore && endsWithConnection(this.#head!.headers)
  }

  #cutOff(): Failure {
    const { target } = this.#origin
    return new Failure('connection.lost', `${target} broke the connection in the middle of the body`, {
      target,
    })
  }

  #finishBody(): void {
    this.#head!.wire = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settled) clearTimeout(this.#timer)
    else this.#failBy(error)
  }

  #failBy(error: Error): void {
    const failure = failureOf(error, {
      target: this.#origin.target,
      gotHeaders: this.#head !== null,
      timeouts: this.#request.timeouts,
    })
    const isRepeatable = this.#request.method !== 'POST' && this.#onKeptSocket && !this.#answering
    this.diedUnanswered = isRepeatable && failure.code === 'connection.lost'
    this.#fail(failure)
  }

  readonly #onAbort = (): void => {
    const { reason } = this.#signal
    const message = `Fetching ${this.#origin.target} was aborted`
    this.#fail(
      reason instanceof Failure ? reason : new Failure('worker.stopping', message, {}, { cause: reason }),
    )
  }

  #timeUp(): void {
    this.#fail(timedOut('fetch.timeout', 'total', this.#origin.target, this.#request.timeouts.totalMs))
  }

  #tooLarge(): Failure {
    return tooLarge({ maxBytes: this.#request.maxBytes, target: this.#origin.target })
  }

  #finish(): void {
    this.#settle()
    this.#resolve(this.#head!)
  }

  #fail(failure: Failure): void {
    if (this.#settled) return
    this.#settle()
    this.#reject(failure)
    this.#controller?.abort(failure)
  }

  #settle(): void {
    this.#settled = true
    clearTimeout(this.#timer)
    offAbort(this.#signal, this.#onAbort)
    this.#origin.inFlight--
    this.#origin.lastUsedAt = Date.now()
  }
}

/** True if the body ends when the connection closes: the response has no Content-Length and is not chunked. */
const endsWithConnection = (headers: HeaderList) =>
  headerOf(headers, 'content-length') === null && headerOf(headers, 'transfer-encoding') === null

function withAuthorization(headers: string[], proxy: ProxyAddress): string[] {
  const authorization = basicAuthorization(proxy)
  return authorization === null ? headers : [...headers, 'proxy-authorization', authorization]
}

const emptyBody = Buffer.alloc(0)

function headerListOf(raw: IncomingHttpHeaders): HeaderList {
  const list: [string, string][] = []
  for (const name in raw) {
    const value = raw[name]
    if (typeof value === 'string') list.push([name, value])
    else if (value !== undefined && !name.startsWith(':')) for (const each of value) list.push([name, each])
  }
  return list
}
