// A small forward proxy for tests: plain requests and tunnels, a log of requests, and several faults.

import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { freePort } from '../free-port.ts'

/** A request that the proxy received. */
export interface ProxyVisit {
  kind: 'request' | 'tunnel'
  /** `host:port` for a tunnel, the URL for a plain request. */
  target: string
  /** `user:password` as sent; null without credentials. */
  credentials: string | null
  headers: IncomingMessage['headers']
}

/** `dead`: the proxy accepts no connections. `cuts`: it closes the connection after each request. `slow`: it never answers.
 *  `lost`: it reaches no site. */
export type ProxyMood = 'well' | 'dead' | 'cuts' | 'slow' | 'lost'

export interface TestProxyOptions {
  /** The `user:password` that the proxy accepts. Without it, the proxy requires no authentication. */
  credentials?: string
  secure?: boolean
  port?: number
  /** Addresses of host names, used instead of DNS. */
  hosts?: Record<string, { host: string; port: number }>
}

/** The header of RFC 9209 with which a proxy says that an error is its own. */
const ownError = { 'proxy-status': 'test; error=destination_unavailable' }

export class ForwardProxy implements AsyncDisposable {
  readonly visits: ProxyVisit[] = []
  mood: ProxyMood = 'well'
  #server: Server
  #sockets = new Set<Socket>()
  #port = 0
  readonly #options: TestProxyOptions

  private constructor(options: TestProxyOptions) {
    this.#options = options
    this.#server = this.#create()
  }

  static async start(options: TestProxyOptions = {}): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(options)
    await proxy.#listen(options.port ?? (await freePort()))
    return proxy
  }

  get port(): number {
    return this.#port
  }

  get place(): string {
    return `127.0.0.1:${this.#port}`
  }

  /** The URL of the proxy, with its credentials. */
  get url(): string {
    const { credentials, secure } = this.#options
    const host = secure ? 'localhost' : '127.0.0.1'
    return `${secure ? 'https' : 'http'}://${credentials ? `${credentials}@` : ''}${host}:${this.#port}`
  }

  /** The name under which kscrape lists the proxy. */
  get name(): string {
    const { secure } = this.#options
    return `${secure ? 'https' : 'http'}://${secure ? 'localhost' : '127.0.0.1'}:${this.#port}`
  }

  /** Accepts no more connections until `revive` is called. */
  async die(): Promise<void> {
    this.mood = 'dead'
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }

  async revive(): Promise<void> {
    this.#server = this.#create()
    await this.#listen(this.#port)
    this.mood = 'well'
  }

  #create(): Server {
    const { secure } = this.#options
    const certificate = (name: string) =>
      readFileSync(new URL(`../../site/certificates/${name}.pem`, import.meta.url))
    const server = secure
      ? createSecureServer({
          cert: certificate('good-with-own-ca'),
          key: certificate('good-with-own-ca-key'),
        })
      : createServer()
    server.on('request', (request, response) => this.#answer(request, response))
    server.on('connect', (request, client, head) => this.#tunnel(request, client as Socket, head))
    server.on('connection', (socket: Socket) => this.#follow(socket))
    return server as Server
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port
        resolve()
      })
    })
  }

  #follow(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #note(kind: ProxyVisit['kind'], request: IncomingMessage): boolean {
    const sent = request.headers['proxy-authorization']
    const credentials = sent ? Buffer.from(sent.replace(/^Basic /, ''), 'base64').toString() : null
    this.visits.push({ kind, target: request.url ?? '', credentials, headers: request.headers })
    return this.#options.credentials === undefined || credentials === this.#options.credentials
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const mayUse = this.#note('request', request)
    if (this.mood === 'cuts') return void request.socket.destroy()
    if (this.mood === 'slow') return
    if (!mayUse) return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="test"' }).end()
    if (this.mood === 'lost') return void response.writeHead(502, ownError).end()
    const url = URL.parse(request.url ?? '')
    if (!url) return void response.writeHead(400).end()
    const { 'proxy-authorization': _ours, 'proxy-connection': _too, ...headers } = request.headers
    const to = this.#whereTo(url.hostname, Number(url.port || 80))
    const asking = openRequest(
      { ...to, method: request.method, path: url.pathname + url.search, headers },
      answer => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      },
    )
    asking.on('error', () =>
      response.headersSent ? response.destroy() : response.writeHead(502, ownError).end(),
    )
    request.pipe(asking)
  }

  #tunnel(request: IncomingMessage, client: Socket, head: Buffer): void {
    const mayUse = this.#note('tunnel', request)
    client.on('error', () => {})
    if (this.mood === 'cuts') return void client.destroy()
    if (this.mood === 'slow') return
    if (!mayUse)
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
    if (this.mood === 'lost') return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const [host, port] = (request.url ?? '').split(/:(?=\d+$)/) as [string, string]
    const to = this.#whereTo(host, Number(port))
    const remote = connect(to.port, to.host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) remote.write(head)
      remote.pipe(client).pipe(remote)
    })
    this.#follow(remote)
    remote.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    client.once('close', () => remote.destroy())
  }

  #whereTo(host: string, port: number): { host: string; port: number } {
    return this.#options.hosts?.[host] ?? { host: host.replace(/^\[|\]$/g, ''), port }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.mood !== 'dead') await this.die()
  }
}
