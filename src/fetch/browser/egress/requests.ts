// Plain HTTP through the proxy: one request of the browser becomes one request to the checked address.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as openRequest } from '../../../lib/node-http.ts'
import { Failure } from '../../../model/failures.ts'
import { failureOf } from '../../http/classify.ts'
import { basicAuthorization } from '../../proxies/connect-tunnel.ts'
import type { ProxyAddress } from '../../proxies/endpoint.ts'
import { wrongPassword } from '../../proxies/failures.ts'
import type { Connections } from './connections.ts'
import { type RawHeaders, requestHeaders, responseHeaders } from './headers.ts'
import { authorityOf, type ProxyTarget, pathOf } from './target.ts'

interface RequestParts {
  connections: Connections
  idleMs: number
  /** Called for each chunk that the site sends. */
  onData: () => void
}

/** Resolves when the response is complete or was cut off. Rejects if there is no response. */
export async function forwardRequest(
  parts: RequestParts,
  target: ProxyTarget,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const answer = await ask(parts, target, request, signal)
  const { forwarder } = parts.connections
  if (forwarder && answer.statusCode === 407) {
    answer.destroy()
    throw wrongPassword(forwarder)
  }
  response.sendDate = false
  response.writeHead(answer.statusCode!, answer.statusMessage ?? '', responseHeaders(answer.rawHeaders))
  answer.on('data', parts.onData)
  // Send the headers together with the first chunk if that chunk has already arrived, otherwise alone.
  setImmediate(() => response.writableEnded || response.flushHeaders())
  await relayed(answer, response)
}

/** Copies the body. If the site stops before the end of the body, the browser's connection is closed too, so that the
 *  browser detects an incomplete body. */
function relayed(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    answer.once('error', () => response.destroy())
    response.once('close', () => {
      answer.destroy()
      resolve()
    })
    answer.pipe(response)
  })
}

async function ask(
  parts: RequestParts,
  target: ProxyTarget,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (hasBody(request)) return askOnce(parts, target, request, signal)
  try {
    return await askOnce(parts, target, request, signal)
  } catch (error) {
    if (!(error instanceof DeadConnection)) throw error
    return askOnce(parts, target, request, signal)
  }
}

/** The site closed a reused connection before it responded. A request without a body is then sent again. */
class DeadConnection extends Error {}

function askOnce(
  { connections, idleMs }: RequestParts,
  target: ProxyTarget,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { forwarder } = connections
  const asking = openRequest({
    host: target.host,
    port: target.port,
    method: target.method,
    path: forwarder ? target.url : pathOf(target.url),
    headers: withAuthorization(requestHeaders(request.rawHeaders, authorityOf(target.url)), forwarder),
    agent: hasBody(request) ? connections.single : connections.keepAlive,
    timeout: idleMs,
    signal,
    // Chromium accepts slightly invalid responses, so a stricter parser would lose pages.
    insecureHTTPParser: true,
  })
  let isAnswered = false
  asking.once('response', answer => {
    isAnswered = true
    resolve(answer)
  })
  asking.on('error', error => reject(asking.reusedSocket && isLost(error) ? new DeadConnection() : error))
  asking.once('close', () => isAnswered || reject(lost()))
  if (hasBody(request)) request.pipe(asking)
  else asking.end()
  return promise.catch(error => {
    throw error instanceof DeadConnection ? error : requestFailure(error, target, idleMs)
  })
}

function requestFailure(error: unknown, target: ProxyTarget, idleMs: number): Failure {
  const code = codeOf(error)
  if (!code.startsWith('HPE_')) return failureOf(error, progressOf(target, idleMs))
  const place = `${target.host}:${target.port}`
  return new Failure('http.protocol', `${place} answered with something that is not HTTP (${code})`, {
    target: place,
  })
}

function withAuthorization(headers: RawHeaders, forwarder: ProxyAddress | null): RawHeaders {
  const authorization = forwarder && basicAuthorization(forwarder)
  return authorization ? [...headers, 'Proxy-Authorization', authorization] : headers
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code ?? ''

const isLost = (error: Error) => ['ECONNRESET', 'EPIPE'].includes(codeOf(error))

const lost = () => Object.assign(new Error('closed without a response'), { code: 'ECONNRESET' })

const progressOf = ({ host, port }: ProxyTarget, idleMs: number) => ({
  target: `${host}:${port}`,
  gotHeaders: false,
  timeouts: { connectMs: 0, headersMs: idleMs, idleMs },
})
