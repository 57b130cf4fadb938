// Sends requests to a service: converts field names, throws typed errors, retries while the service is busy or restarts.

import { Failure, type FailureCode } from '../model/failures.ts'
import { objectIn } from '../model/json.ts'
import { camel, mapKeys, snake } from '../model/letter-case.ts'

export interface ConnectionOptions {
  /** The URL of the service, such as `http://127.0.0.1:8001`. */
  server: string
  apiKey?: string | undefined
  /** Maximum number of retries of a request after 429, 503 or a lost connection. */
  retries?: number
  /** A replacement for the global `fetch`. */
  fetch?: typeof fetch
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Record<string, string | number | boolean | readonly string[] | undefined>
  /** Request body. It is sent as JSON, with names in snake_case. */
  body?: unknown
  /** Request body that is sent unchanged, instead of `body`. If it is a stream, the request cannot be retried. */
  raw?: RequestInit['body']
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  retries?: number
}

/** An error response of the service, or a failed connection (then `status` is 0). */
export class ApiError extends Failure {
  readonly status: number
  /** Path of the invalid field, in snake_case. */
  readonly field: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(answer: {
    code: string
    message: string
    status: number
    field?: string | undefined
    requestId?: string | undefined
    retryAfterMs?: number | undefined
    cause?: unknown
  }) {
    const { code, message, status, field, requestId, retryAfterMs, cause } = answer
    const details = { status, ...(field !== undefined && { field }), ...(requestId && { requestId }) }
    // A newer service may have error codes that this client does not know. They are passed on.
    super(code as FailureCode, message, details, cause === undefined ? {} : { cause })
    this.name = 'ApiError'
    this.status = status
    this.field = field
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

const usualRetries = 5
const firstWaitMs = 250
const longestWaitMs = 30_000

export class Connection {
  readonly server: string
  readonly #options: ConnectionOptions

  constructor(options: ConnectionOptions) {
    this.server = serverUrl(options.server)
    this.#options = options
  }

  /** Sends a request and returns the response as JSON in camelCase. */
  async json<Answer>(path: string, ask: Ask = {}): Promise<Answer> {
    const response = await this.send(path, ask)
    return mapKeys(await response.json(), camel) as Answer
  }

  /** Sends a request. Resolves only if the response is a success. */
  async send(path: string, ask: Ask = {}): Promise<Response> {
    const retries = ask.retries ?? this.#options.retries ?? usualRetries
    for (let tries = 0; ; tries += 1) {
      const outcome = await this.#once(path, ask)
      if (outcome instanceof Response) return outcome
      if (tries >= retries || !mayRepeat(ask, outcome)) throw outcome
      await sleep(outcome.retryAfterMs ?? waitMs(tries), ask.signal)
    }
  }

  async #once(path: string, ask: Ask): Promise<Response | ApiError> {
    const url = this.#url(path, ask.query)
    try {
      const response = await (this.#options.fetch ?? fetch)(url, this.#request(ask, path.startsWith('/')))
      return response.ok ? response : await refusalOf(response)
    } catch (cause) {
      if (ask.signal?.aborted) throw ask.signal.reason
      return unreachable(this.server, cause)
    }
  }

  /** Builds the request. The key is sent only to the service: a URL in a response may name another server. */
  #request({ method, body, raw, headers, signal }: Ask, isOurs: boolean): RequestInit {
    const apiKey = isOurs && this.#options.apiKey
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(mapKeys(body, snake)))
    return {
      method: method ?? (sent === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
      ...(isStream(sent) && { duplex: 'half' as const }),
      ...(signal && { signal }),
    }
  }

  #url(path: string, query: Ask['query'] = {}): string {
    const url = new URL(path.startsWith('/') ? this.server + path : path)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined)
        for (const each of [value].flat()) url.searchParams.append(snake(name), String(each))
    return url.href
  }
}

/** Builds a path and URL-encodes the ids in it. */
export const pathTo = (strings: TemplateStringsArray, ...ids: string[]): string =>
  String.raw({ raw: strings }, ...ids.map(encodeURIComponent))

function serverUrl(text: string): string {
  const url = URL.parse(text)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/+$/, '')
  throw new Failure('input.invalid', `"${text}" is not a service URL; write it like http://127.0.0.1:8001`)
}

const isStream = (body: unknown): boolean => body instanceof ReadableStream

/** Whether a failed request may be sent again. If the service may have processed the request, it is sent again only if that is
 *  safe. */
function mayRepeat({ method, body, raw, headers }: Ask, { status }: ApiError): boolean {
  if (isStream(raw)) return false
  if (status === 429 || status === 503) return true
  const isSafe = method === undefined ? body === undefined : method !== 'POST' && method !== 'PATCH'
  return status === 0 && (isSafe || headers?.['idempotency-key'] !== undefined)
}

const waitMs = (tries: number): number =>
  Math.min(longestWaitMs, firstWaitMs * 2 ** tries) * (0.5 + Math.random() / 2)

export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })

interface Refusal {
  error?: { code?: string; message?: string; field?: string; request_id?: string } | null
  request_id?: string
}

async function refusalOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  // A proxy between client and service may respond with any body.
  const { error, request_id }: Refusal = objectIn(text)
  return new ApiError({
    code: error?.code ?? 'server.unreadable',
    message: error?.message ?? `the service answered ${response.status} ${response.statusText}`.trim(),
    status: response.status,
    field: error?.field,
    requestId: error?.request_id ?? request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterIn(response.headers.get('retry-after')),
  })
}

function retryAfterIn(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(longestWaitMs * 2, Math.max(0, ms))
}

function unreachable(server: string, cause: unknown): ApiError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const why = inner instanceof Error ? inner.message || inner.name : String(inner)
  const message = `${server} can't be reached: ${why}; is it running (kscrape serve)?`
  return new ApiError({ code: 'server.unreachable', message, status: 0, cause })
}
