// A server for the pages of kinds.ts and their resources.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { type Kind, kinds, slugOf } from './kinds.ts'

const bySlug = new Map(kinds.map(kind => [slugOf(kind), kind]))

const fill = `document.getElementById('root').innerHTML = '<h1>Lamps</h1><p>' + 'content-' + 'complete' + '</p>'`
const scripts = 'text/javascript'
const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')

interface Resource {
  type: string
  body: string | Buffer
}

const resources: Record<string, Resource> = {
  '/slow': { type: 'application/json', body: '{}' },
  '/late.js': { type: scripts, body: fill },
  '/jsonp.js': { type: scripts, body: 'got({})' },
  '/module.js': { type: scripts, body: `import './module-two.js?ms=200'` },
  '/module-two.js': { type: scripts, body: 'export {}' },
  '/worker.js': { type: scripts, body: '' },
  '/slow.css': { type: 'text/css', body: 'p { color: #333 }' },
  '/slow.woff2': { type: 'font/woff2', body: '' },
  '/slow.gif': { type: 'image/gif', body: gif },
  '/pixel.gif': { type: 'image/gif', body: gif },
  '/frame': {
    type: 'text/html',
    body: `<p>frame</p><script>fetch('/slow').then(() => parent.postMessage(1, '*'))</script>`,
  },
}

export class SettleSite implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<SettleSite> {
    const server = createServer((request, response) => void answer(request, response))
    server.on('upgrade', (request, socket) => void openSocket(request, socket))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return new SettleSite(server)
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  urlOf(kind: Kind, run: number): string {
    return `http://${this.host}/kind/${slugOf(kind)}?run=${run}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://site')
  request.resume()
  const kind = bySlug.get(pathname.replace('/kind/', ''))
  if (kind) return sendPage(kind, response)
  if (pathname === '/hangs') return
  if (pathname === '/stream') return sendEvents(response, searchParams)
  if (pathname === '/chunks') return sendChunks(response)
  const resource = resources[pathname]
  await wait(Number(searchParams.get('ms') ?? (pathname === '/slow' ? 300 : 0)))
  if (!resource) return void response.writeHead(pathname === '/collect' ? 204 : 404).end()
  response.writeHead(200, { 'content-type': resource.type, 'cache-control': 'no-store' }).end(resource.body)
}

async function sendPage({ name, body }: Kind, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.write(`<!DOCTYPE html><title>${name}</title><body>`)
  if (typeof body === 'string') return void response.end(body)
  for (const { afterMs, html } of body) {
    await wait(afterMs)
    response.write(html)
  }
  response.end()
}

async function sendEvents(response: ServerResponse, params: URLSearchParams): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
  if (!params.has('ms')) return
  await wait(Number(params.get('ms')))
  response.write('data: 1\n\n')
}

async function sendChunks(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain' })
  for (let n = 0; n < 5; n++) {
    response.write(`chunk ${n}\n`)
    await wait(200)
  }
  response.end()
}

/** Completes the handshake, and sends one text frame after a delay if the page requests it. */
async function openSocket(request: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on('error', () => socket.destroy())
  const key = createHash('sha1').update(
    `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
  )
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write([...head, `Sec-WebSocket-Accept: ${key.digest('base64')}`, '', ''].join('\r\n'))
  const afterMs = new URL(request.url!, 'http://site').searchParams.get('ms')
  if (afterMs === null) return
  await wait(Number(afterMs))
  socket.write(Buffer.from([0x81, 1, 0x31]))
}
