// Helpers for tests of the egress proxy: websites that it can reach, and a client that sends exact bytes.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  type EgressProxy,
  type EgressProxyOptions,
  openEgressProxy,
} from '../../src/fetch/browser/egress/egress-proxy.ts'
import { EgressGate, type GateOptions } from '../../src/fetch/http/gate.ts'

export interface Website extends AsyncDisposable {
  host: string
  port: number
  requests: IncomingMessage[]
  connections: Set<Socket>
}

export async function openWebsite(
  answer: Parameters<typeof createServer>[1] = (_, response) => response.end('a page'),
): Promise<Website> {
  const requests: IncomingMessage[] = []
  const server = createServer((visit, response) => {
    requests.push(visit)
    return answer!(visit as never, response as never)
  })
  const connections = new Set<Socket>()
  server.on('connection', socket => connections.add(socket.once('close', () => connections.delete(socket))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { host: `127.0.0.1:${port}`, port, requests, connections, [Symbol.asyncDispose]: close }
}

/** A server that sends what `talk` writes, which may be something else than HTTP. */
export async function openTalker(
  talk: (socket: Socket) => void,
): Promise<AsyncDisposable & { host: string; port: number }> {
  const server = createTcpServer(socket => talk(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { host: `127.0.0.1:${port}`, port, [Symbol.asyncDispose]: async () => void server.close() }
}

export const openFor = (
  website: { host: string } | null,
  more: Partial<EgressProxyOptions> = {},
  gate: Partial<GateOptions> = {},
) =>
  openEgressProxy({
    gate: new EgressGate({ allowPrivate: website === null ? [] : [website.host], ...gate }),
    ...more,
  })

export async function ask(
  proxy: EgressProxy,
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
) {
  const asking = request({
    host: '127.0.0.1',
    port: proxy.port,
    path: url,
    method,
    headers: { host: 'judged-by-the-url', ...headers },
    agent: false,
  })
  asking.end(body)
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

/** Sends these bytes, and returns everything that is received until the proxy closes the connection or the text `until` has arrived. */
export async function sendRaw(
  proxy: EgressProxy,
  bytes: string | Uint8Array,
  until?: string,
): Promise<string> {
  const socket = connect(proxy.port, '127.0.0.1')
  socket.on('error', () => {})
  if (until === undefined) socket.end(bytes)
  else socket.write(bytes)
  let seen = ''
  for await (const chunk of socket) {
    seen += chunk
    if (until !== undefined && seen.includes(until)) break
  }
  return seen
}

export const tunnelTo = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`
