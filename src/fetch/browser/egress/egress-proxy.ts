// The egress gate of one browser context: a forward proxy on loopback. All traffic of the context goes through it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from '../../../lib/node-http.ts'
import { Failure } from '../../../model/failures.ts'
import type { EgressGate } from '../../http/gate.ts'
import { Connections, type Upstream } from './connections.ts'
import { refusalText, refuse } from './refusal.ts'
import { forwardRequest } from './requests.ts'
import { type ProxyTarget, requestTarget, tunnelTarget } from './target.ts'
import { type FailedTarget, TaskLedger } from './task-ledger.ts'
import { Tunnels } from './tunnels.ts'

export { failureHeader } from './headers.ts'
export type { ProxyTarget } from './target.ts'

export interface EgressProxyOptions {
  gate: EgressGate
  /** Awaited before each plain request and each new tunnel. The URL is already checked, and no connection is open yet.
   *  A rejection refuses the request. */
  before?: (target: ProxyTarget, signal: AbortSignal) => Promise<void>
  /** Called for every failed request of the browser. `failures` lists the same failures. */
  onFailed?: (failed: FailedTarget) => void
  /** Maximum number of bytes that one task may receive in total. The limit also stops bodies that never end. */
  maxTaskBytes?: number
  connectMs?: number
  /** Longest time without data before a connection is closed. */
  idleMs?: number
  /** The proxy to which this proxy connects. The gate still checks all targets. */
  upstream?: Upstream | undefined
}

/** This proxy has no password, so every local process that finds the port can use it. Chromium accepts no credentials
 *  in a proxy address, and a challenge would pause every request. The gate also checks the targets of such a process,
 *  so it gains no new access. */
export interface EgressProxy extends AsyncDisposable {
  readonly port: number
  /** Bytes over outgoing connections since the proxy was opened. */
  readonly bytes: { readonly received: number; readonly sent: number }
  /** Failures of the current task, oldest first. Only the latest hundred are stored. */
  readonly failures: readonly FailedTarget[]
  /** The last failure to reach the host and port of this URL, or the failure of the byte limit; null if there is none.
   *  Needed because a browser reports only ERR_TUNNEL_CONNECTION_FAILED. */
  failureOf(url: string): Failure | null
  /** Starts a new task. Discards failures and byte counts of the previous one. Closes tunnels to other hosts, so that
   *  `before` is called again for them. */
  beginTask(host: string | null): void
}

const maxHeaderBytes = 131_072
const maxClients = 512
/** Longer than Chromium's usual pauses between requests, so that its connections to the proxy are rarely closed. */
const keepAliveMs = 120_000

const defaults = { maxTaskBytes: 268_435_456, connectMs: 10_000, idleMs: 300_000 }

export async function openEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const proxy = new ForwardProxy({ ...defaults, ...options })
  await proxy.listen()
  return proxy
}

class ForwardProxy implements EgressProxy {
  readonly #options: EgressProxyOptions & typeof defaults
  readonly #connections: Connections
  readonly #ledger: TaskLedger
  readonly #tunnels: Tunnels
  readonly #server: Server
  readonly #clients = new Set<Socket>()

  constructor(options: EgressProxyOptions & typeof defaults) {
    this.#options = options
    this.#connections = new Connections(options)
    this.#ledger = new TaskLedger(options, () => this.#connections.received)
    this.#tunnels = new Tunnels(this.#parts)
    this.#server = this.#createServer()
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get bytes() {
    return { received: this.#connections.received, sent: this.#connections.sent }
  }

  get failures(): readonly FailedTarget[] {
    return this.#ledger.failures
  }

  failureOf(url: string): Failure | null {
    return this.#ledger.failureOf(url)
  }

  beginTask(host: string | null): void {
    this.#ledger.begin()
    this.#tunnels.closeExcept(host)
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
  }

  get #parts() {
    return { connections: this.#connections, idleMs: this.#options.idleMs, onData: () => this.#checkBytes() }
  }

  #createServer(): Server {
    const server = createServer({ maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs })
    server.maxConnections = maxClients
    server.on('connection', client => this.#follow(client))
    server.on('request', (request, response) => void this.#answer(request, response))
    server.on('connect', (request, client, head) => void this.#tunnel(request, client as Socket, head))
    server.on('clientError', (_error, client) => this.#refuseGarbage(client as Socket))
    return server
  }

  #follow(client: Socket): void {
    this.#clients.add(client)
    client.on('error', () => {}) // Ignored: the browser may disconnect at any time.
    client.once('close', () => this.#clients.delete(client))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signal = goneSignal(response)
    let target: ProxyTarget | null = null
    try {
      target = requestTarget(this.#options.gate, request)
      await this.#mayStart(target, signal)
      await forwardRequest(this.#parts, target, request, response, signal)
    } catch (error) {
      if (signal.aborted) return
      const failure = this.#ledger.note(target, error)
      if (response.headersSent) response.destroy()
      else refuse(response, failure)
    }
  }

  async #tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const signal = goneSignal(client)
    let target: ProxyTarget | null = null
    try {
      target = tunnelTarget(request.url ?? '')
      await this.#mayStart(target, signal)
      await this.#tunnels.open(target, client, head, signal)
    } catch (error) {
      if (!signal.aborted) hangUp(client, this.#ledger.note(target, error))
    }
  }

  async #mayStart(target: ProxyTarget, signal: AbortSignal): Promise<void> {
    const overdrawn = this.#ledger.overdrawn()
    if (overdrawn !== null) throw overdrawn
    this.#options.gate.judgeHost(target.host, target.port)
    await this.#options.before?.(target, signal)
    signal.throwIfAborted()
  }

  /** Above the byte limit, closes all connections of the task. Further requests are refused. */
  #checkBytes(): void {
    const overdrawn = this.#ledger.overdrawn()
    if (overdrawn === null || this.#clients.size === 0) return
    this.#ledger.note(null, overdrawn)
    for (const client of this.#clients) client.destroy()
    this.#clients.clear()
  }

  #refuseGarbage(client: Socket): void {
    hangUp(
      client,
      this.#ledger.note(null, new Failure('input.invalid', 'The proxy received bytes that are not HTTP')),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    for (const client of this.#clients) client.destroy()
    this.#connections[Symbol.dispose]()
    await closed
  }
}

function hangUp(client: Socket, failure: Failure): void {
  if (client.writable) client.end(refusalText(failure), () => client.destroy())
  else client.destroy()
}

/** Aborts when the browser disconnects before it has received the complete response. */
function goneSignal(side: ServerResponse | Socket): AbortSignal {
  const gone = new AbortController()
  side.once('close', () => side.writableFinished || gone.abort())
  return gone.signal
}
