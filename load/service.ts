// The service as a caller sees it: keep-alive connections, a response or an error code.
import { Agent, type IncomingMessage, request as openRequest } from 'node:http'
import { request as openSecureRequest, Agent as SecureAgent } from 'node:https'

export interface Reply {
  /** 0 if there was no response. */
  status: number
  body: Record<string, unknown>
  error: string | null
}

export class Service implements Disposable {
  readonly #url: URL
  readonly #key: string
  readonly #timeoutMs: number
  readonly #agent: Agent

  constructor({ url, key, timeoutMs }: { url: URL; key: string; timeoutMs: number }) {
    this.#url = url
    this.#key = key
    this.#timeoutMs = timeoutMs
    const options = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }
    this.#agent = url.protocol === 'https:' ? new SecureAgent(options) : new Agent(options)
  }

  get(path: string): Promise<Reply> {
    return this.#ask('GET', path, undefined)
  }

  post(path: string, body: object): Promise<Reply> {
    return this.#ask('POST', path, body)
  }

  put(path: string, body: object): Promise<Reply> {
    return this.#ask('PUT', path, body)
  }

  delete(path: string): Promise<Reply> {
    return this.#ask('DELETE', path, undefined)
  }

  /** Never rejects: every error becomes a code. */
  #ask(method: string, path: string, body: object | undefined): Promise<Reply> {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const open = this.#url.protocol === 'https:' ? openSecureRequest : openRequest
    return new Promise(resolve => {
      const request = open(new URL(path, this.#url), {
        ...{ method, agent: this.#agent, signal: AbortSignal.timeout(this.#timeoutMs) },
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(sent !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(sent),
          }),
        },
      })
      const fail = (error: Error) => resolve({ status: 0, body: {}, error: codeOf(error) })
      request.on('error', fail)
      request.on('response', response => void read(response).then(resolve, fail))
      request.end(sent)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

async function read(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const status = response.statusCode ?? 0
  const body = parsed(Buffer.concat(chunks).toString())
  return { status, body, error: status < 400 ? null : `${status}${named(body)}` }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The error code of the API; the scrape API calls it a type. */
function named({ error }: Record<string, unknown>): string {
  const { code, type } = (error ?? {}) as { code?: unknown; type?: unknown }
  const name = code ?? type
  return typeof name === 'string' ? ` ${name}` : ''
}

function codeOf(error: Error): string {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
  return (error as NodeJS.ErrnoException).code ?? error.message
}
