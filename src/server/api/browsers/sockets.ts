// WebSockets of browser clients: /cdp for the DevTools protocol, /playwright for Playwright's own. The upgrade
// completes when the browser is ready.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { asFailure, type Failure } from '../../../model/failures.ts'
import type { App } from '../../app.ts'
import type { GuardedServer } from '../../parts.ts'
import { type Protocol, readQuery } from './connection-request.ts'
import type { BrowserConnections, OpenConnection } from './connections.ts'
import { refusedClient } from './playwright-clients.ts'

/** Largest message of a client in bytes. A script, a body or a file is one message. */
const longestMessage = 32 * 1_048_576
/** Maximum number of bytes that a client may send before the upgrade. A correct client sends none. */
const mostEarlyBytes = 65_536

/** Our own paths first, then those of Browserless. Steel clients connect to the root with a `sessionId`. */
const paths: Record<string, Protocol> = {
  '/cdp': 'cdp',
  '/': 'cdp',
  '/chromium': 'cdp',
  '/chrome': 'cdp',
  '/playwright': 'playwright',
  '/playwright/chromium': 'playwright',
  '/chromium/playwright': 'playwright',
  '/chrome/playwright': 'playwright',
}

function protocolOf({ url = '' }: IncomingMessage): Protocol | undefined {
  const path = url.split('?', 1)[0]!
  return paths[path.length > 1 ? path.replace(/\/$/, '') : path]
}

/** Whether the request asks for a WebSocket to a browser. */
export const isBrowserClient = (request: IncomingMessage): boolean =>
  request.method === 'GET' &&
  request.headers.upgrade?.toLowerCase() === 'websocket' &&
  protocolOf(request) !== undefined

export function addSockets(app: App, server: GuardedServer, connections: BrowserConnections): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: longestMessage,
    perMessageDeflate: false,
  })
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isBrowserClient(request)) void connect({ server, connections, sockets }, request, socket, head)
  }
  app.server.on('upgrade', onUpgrade)
  app.addHook('preClose', async () => {
    app.server.off('upgrade', onUpgrade)
    for (const client of sockets.clients) client.close(1_012, 'the service is stopping')
    for (const connection of connections.all) connection.close('stopped')
  })
}

interface SocketParts {
  server: GuardedServer
  connections: BrowserConnections
  sockets: WebSocketServer
}

async function connect(
  { server, connections, sockets }: SocketParts,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const gone = new AbortController()
  const onGone = () => gone.abort()
  socket.on('error', onGone)
  socket.once('close', onGone)
  // Read the socket before the upgrade, because an unread stream does not report that its client disconnected.
  const early: Buffer[] = head.length > 0 ? [head] : []
  let earlyBytes = head.length
  const keep = (chunk: Buffer) => {
    earlyBytes += chunk.length
    if (earlyBytes > mostEarlyBytes) socket.destroy()
    else early.push(chunk)
  }
  socket.on('data', keep)
  const client = new SocketEnd()
  try {
    const protocol = protocolOf(request)!
    const query = readQuery(new URL(request.url ?? '/', 'http://localhost').searchParams)
    const { token, apiKey, ...options } = query
    const caller = await server.admit(token ?? apiKey ?? keyIn(request), 'submit')
    const refused = protocol === 'playwright' ? refusedClient(request) : null
    if (refused) throw refused
    const connection = await connections.open(caller, { ...options, protocol }, client, gone.signal)
    socket.off('data', keep)
    let isJoined = false
    sockets.handleUpgrade(request, socket, Buffer.concat(early), opened => {
      isJoined = true
      // Close the browser at once, even if the client does not respond to the close of its socket.
      const revoke = () => {
        opened.close(3_000, 'the key was revoked')
        connection.close('stopped')
      }
      opened.once('close', server.open.keep(caller, revoke))
      join(opened, client, connection)
    })
    // The upgrade failed: the client disconnected while its browser started, or its handshake was invalid.
    if (!isJoined) connection.close()
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'internal.bug') server.parts.log.error({ err: error }, 'a browser connection failed')
    if (socket.writable) socket.end(refusal(failure), () => socket.destroy())
  }
}

/** The client's WebSocket. Messages of the browser are buffered until the socket is open. */
class SocketEnd {
  #socket: WebSocket | null = null
  #early: Array<{ text: string; sent: () => void }> = []
  #farewell: [code: string, message: string] | null = null

  set socket(socket: WebSocket) {
    this.#socket = socket
    for (const { text, sent } of this.#early.splice(0)) socket.send(text, sent)
    if (this.#farewell) this.ended(...this.#farewell)
  }

  text(text: string): Promise<void> {
    return new Promise(resolve => {
      const sent = () => resolve()
      if (this.#socket) this.#socket.send(text, sent)
      else this.#early.push({ text, sent })
    })
  }

  ended(code: string, message: string): void {
    this.#farewell = [code, message]
    const { [code]: number = 1_011 } = closeCodes
    // A close reason may have at most 123 bytes.
    this.#socket?.close(
      number,
      Buffer.from(message)
        .subarray(0, 120)
        .toString()
        .replace(/\uFFFD$/, ''),
    )
  }
}

const closeCodes: Record<string, number> = {
  client: 1_000,
  time: 1_001,
  stopped: 1_001,
  'worker.stopping': 1_012,
}

function join(socket: WebSocket, client: SocketEnd, connection: OpenConnection): void {
  socket.on('message', data => {
    connection.send(String(data))
    const { full } = connection
    if (!full) return
    socket.pause()
    void full.then(() => socket.resume())
  })
  socket.on('error', () => socket.terminate())
  socket.once('close', () => connection.close())
  client.socket = socket
}

function keyIn({ headers }: IncomingMessage): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const named = headers['x-api-key'] ?? headers['x-service-key']
  return bearer ?? (typeof named === 'string' && named !== '' ? named : null)
}

/** The HTTP response of a refused upgrade. Clients show its status and body to their users. */
function refusal({ code, message, rule, details }: Failure): string {
  const shown = code === 'internal.bug' ? 'internal error; the log of the service has the details' : message
  const { retryAfterMs, position } = details
  const body = JSON.stringify({
    error: { code, message: shown, ...(position !== undefined && { position }) },
  })
  const retry =
    typeof retryAfterMs === 'number' ? [`Retry-After: ${Math.max(1, Math.ceil(retryAfterMs / 1_000))}`] : []
  const status = code === 'request.unsupported' ? 428 : rule.http
  return [
    `HTTP/1.1 ${status} Refused`,
    ...retry,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
