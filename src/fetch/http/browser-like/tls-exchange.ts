// Sends one request with the TLS handshake of a browser. The TLS library connects only through a local proxy of the
// egress gate. So the gate checks its targets like all others, and the library uses the identity's proxy.
import type { Impit, ImpitResponse } from 'impit'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import type { HeaderList } from '../../../model/page/page.ts'
import { type EgressProxy, failureHeader, openEgressProxy } from '../../browser/egress/egress-proxy.ts'
import type { ProxyDialer } from '../../proxies/dial.ts'
import type { ProxyAddress } from '../../proxies/endpoint.ts'
import { timedOut } from '../classify.ts'
import { tooLarge } from '../decode.ts'
import type { Answer, Exchange, ExchangeRequest } from '../exchange.ts'
import { type EgressGate, portOf } from '../gate.ts'
import { pairsOf } from '../headers.ts'

/** The newest browser whose handshake the library can imitate. */
const profile = 'chrome151'

interface BrowserTlsOptions {
  gate: EgressGate
  dialer?: ProxyDialer | undefined
}

interface Way {
  egress: EgressProxy
  impit: Impit
}

/** Headers that the library adds unless they are set. */
const addedByItself = [
  ...[
    'sec-ch-ua',
    'sec-ch-ua-mobile',
    'sec-ch-ua-platform',
    'upgrade-insecure-requests',
    'user-agent',
    'accept',
  ],
  ...['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-user', 'sec-fetch-dest', 'accept-encoding'],
  ...['accept-language', 'priority'],
]

export class BrowserTls implements AsyncDisposable {
  readonly #options: BrowserTlsOptions
  /** One local proxy and client for each upstream proxy, by the proxy's id. */
  readonly #ways = new Map<string, Promise<Way>>()

  constructor(options: BrowserTlsOptions) {
    this.#options = options
  }

  exchange: Exchange = async (request, signal) => {
    const way = await this.#way(request.proxy)
    using limit = limitOf(request, signal)
    const sentAt = Date.now()
    try {
      const response = await way.impit.fetch(request.url.href, {
        method: request.method,
        headers: headersOf(request.headers),
        redirect: 'manual',
        signal: limit.signal,
        ...(request.body !== null && { body: request.body }),
      })
      const refused = response.headers.get(failureHeader)
      if (refused !== null) throw way.egress.failureOf(request.url.href) ?? lost(request, refused)
      return await answerOf(response, request, sentAt)
    } catch (error) {
      throw limit.failure() ?? failureOf(error, request, way.egress)
    }
  }

  #way(proxy: ProxyAddress | undefined): Promise<Way> {
    const key = proxy?.id ?? ''
    const known = this.#ways.get(key) ?? this.#open(proxy)
    this.#ways.set(key, known)
    known.catch(() => this.#ways.delete(key))
    return known
  }

  async #open(proxy: ProxyAddress | undefined): Promise<Way> {
    const { gate, dialer } = this.#options
    const upstream = proxy && { dialer: dialer!, proxy }
    const egress = await openEgressProxy({ gate, upstream, maxTaskBytes: Number.MAX_SAFE_INTEGER })
    const { Impit } = await loadImpit()
    const impit = new Impit({
      browser: profile,
      proxyUrl: `http://127.0.0.1:${egress.port}`,
      followRedirects: false,
      http3: false,
      ignoreTlsErrors: proxy?.isUnlocker ?? false,
    })
    return { egress, impit }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const way of this.#ways.values()) await (await way.catch(() => null))?.egress[Symbol.asyncDispose]()
    this.#ways.clear()
  }
}

/** Loads the TLS library. It has binaries only for common systems, so loading may fail. */
async function loadImpit(): Promise<typeof import('impit')> {
  try {
    return await import('impit')
  } catch (cause) {
    const message =
      'The TLS handshake of a browser is not available on this system (the package impit has no binary for it); leave out policy.identity.tls'
    throw new Failure('feature.missing', message, {}, { cause })
  }
}

/** Headers in the given order. An empty value removes a header that the library would add. */
function headersOf(flat: string[]): Array<[string, string]> {
  const pairs = [...pairsOf(flat)]
  const named = new Set(pairs.map(([name]) => name.toLowerCase()))
  return [
    ...pairs,
    ...addedByItself.filter(name => !named.has(name)).map((name): [string, string] => [name, '']),
  ]
}

/** The body arrives decoded. Its size is checked for each chunk, so that a decompression bomb stops at the limit. */
async function answerOf(response: ImpitResponse, request: ExchangeRequest, sentAt: number): Promise<Answer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > request.maxBytes) {
      response.abort()
      if (request.isCutAtMax) {
        chunks.push(chunk.subarray(0, chunk.length - (bytes - request.maxBytes)))
        break
      }
      throw tooLarge({ maxBytes: request.maxBytes, target: targetOf(request) })
    }
    chunks.push(chunk)
  }
  return {
    status: response.status,
    headers: headerListOf(response.headers),
    encodings: [],
    wire: Buffer.concat(chunks),
    remoteAddress: null,
    // The library does not report the HTTP version. Assume HTTP/2 for https, because browsers use it if TLS negotiates
    // it.
    httpVersion: request.url.protocol === 'https:' ? '2' : '1.1',
    sentAt,
    asked: request.headers,
  }
}

const headerListOf = (headers: Headers): HeaderList => [
  ...[...headers].filter(([name]) => name !== 'set-cookie'),
  ...headers.getSetCookie().map((value): [string, string] => ['set-cookie', value]),
]

/** Combines the caller's signal with the deadline of the whole fetch. Without a deadline, the request is limited by the
 *  timeouts for connecting and for the response headers. */
function limitOf({ deadlineAt, timeouts, url }: ExchangeRequest, signal: AbortSignal) {
  const late = new AbortController()
  const leftMs = deadlineAt === 0 ? timeouts.connectMs + timeouts.headersMs : deadlineAt - Date.now()
  const timer = setTimeout(() => late.abort(), Math.max(0, leftMs))
  return {
    signal: AbortSignal.any([signal, late.signal]),
    failure(): Failure | null {
      if (late.signal.aborted)
        return timedOut('fetch.timeout', 'total', `${url.hostname}:${portOf(url)}`, timeouts.totalMs)
      if (!signal.aborted) return null
      const { reason } = signal
      return reason instanceof Failure
        ? reason
        : new Failure('worker.stopping', `Fetching ${url.host} was aborted`)
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/** Prefers the failure that the gate's proxy recorded. The library's message is not shown, because it may contain
 *  addresses. */
function failureOf(error: unknown, request: ExchangeRequest, egress: EgressProxy): Failure {
  if (error instanceof Failure) return error
  const known = egress.failureOf(request.url.href)
  if (known) return known
  const { name = '', message = '' } = error as Error
  const code: FailureCode = /certificate|tls|ssl/i.test(message)
    ? 'tls.failed'
    : /Timeout/.test(name)
      ? 'fetch.timeout'
      : 'connection.lost'
  return new Failure(code, `${targetOf(request)} ${sentences[code]}`, {
    target: targetOf(request),
    systemCode: name,
  })
}

const sentences: Partial<Record<FailureCode, string>> = {
  'tls.failed':
    'could not be verified by TLS; a browser-like handshake trusts the system’s authorities and those of SCRAPER_CA_FILE',
  'fetch.timeout': 'did not answer in time',
  'connection.lost': 'closed the connection before the response was complete',
}

const lost = (request: ExchangeRequest, refused: string): Failure =>
  new Failure(
    'connection.lost',
    `The request to ${targetOf(request)} failed in the local proxy (${refused})`,
    {
      target: targetOf(request),
    },
  )

const targetOf = ({ url }: ExchangeRequest): string => `${url.hostname}:${portOf(url)}`
