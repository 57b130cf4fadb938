// Outgoing connections: opened only to checked addresses, counted, and all closed in the end.
import type { AgentOptions, ClientRequestArgs } from 'node:http'
import type { Socket } from 'node:net'
import { Agent } from '../../../lib/node-http.ts'
import { Failure } from '../../../model/failures.ts'
import { failureOf, timedOut } from '../../http/classify.ts'
import type { EgressGate } from '../../http/gate.ts'
import { isForwarding, type ProxyDialer } from '../../proxies/dial.ts'
import type { ProxyAddress } from '../../proxies/endpoint.ts'
import { socketTo, unlessAborted } from '../../proxies/judged-socket.ts'

interface ConnectionsOptions {
  gate: EgressGate
  connectMs: number
  idleMs: number
  upstream?: Upstream | undefined
}

/** A proxy that lies between this one and the outside. */
export interface Upstream {
  dialer: ProxyDialer
  proxy: ProxyAddress
}

/** The target of a connection, by the name that the gate checked. */
export interface Place {
  host: string
  port: number
}

/** How long an idle connection stays open. */
const keptMs = 15_000
const maxConnections = 256

export class Connections implements Disposable {
  readonly #options: ConnectionsOptions
  readonly #open = new Set<Socket>()
  readonly #closing = new AbortController()
  #received = 0
  #sent = 0
  /** Reuses connections for plain requests to the same target. */
  readonly keeping: GatedAgent
  /** A new connection per request, for requests that must not be repeated if a reused connection is dead. */
  readonly single: GatedAgent

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.keeping = new GatedAgent(this, { keepAlive: true, timeout: keptMs, maxTotalSockets: maxConnections })
    this.single = new GatedAgent(this, { maxTotalSockets: maxConnections })
  }

  get received(): number {
    return [...this.#open].reduce((sum, socket) => sum + socket.bytesRead, this.#received)
  }

  get sent(): number {
    return [...this.#open].reduce((sum, socket) => sum + socket.bytesWritten, this.#sent)
  }

  /** The only way out. Resolves the name, checks all addresses, and connects to one of them: only checked addresses are
   *  reached. Rejects with a `Failure` without addresses. */
  async connect(place: Place, signal: AbortSignal): Promise<Socket> {
    const { upstream, connectMs } = this.#options
    if (!upstream) return this.#connectHere(place, signal)
    const ended = AbortSignal.any([signal, this.#closing.signal])
    return this.#followed(await upstream.dialer.tunnel(upstream.proxy, place, connectMs, ended))
  }

  /** The proxy that receives whole plain requests; null if they go directly to their target. */
  get forwarder(): ProxyAddress | null {
    const { upstream } = this.#options
    return upstream && isForwarding(upstream.proxy) ? upstream.proxy : null
  }

  /** For plain requests to this place: a connection to it, or to the forwarder. */
  async connectPlain(place: Place, signal: AbortSignal): Promise<Socket> {
    const { upstream, connectMs } = this.#options
    if (!upstream || !this.forwarder) return this.connect(place, signal)
    const ended = AbortSignal.any([signal, this.#closing.signal])
    return this.#followed(await upstream.dialer.forward(upstream.proxy, place, connectMs, ended))
  }

  async #connectHere({ host, port }: Place, signal: AbortSignal): Promise<Socket> {
    const { gate, connectMs } = this.#options
    const target = `${host}:${port}`
    const limit = AbortSignal.timeout(connectMs)
    const ended = AbortSignal.any([signal, this.#closing.signal, limit])
    try {
      const addresses = await unlessAborted(gate.resolve(host, port), ended)
      return this.#followed(await socketTo(addresses, port, ended))
    } catch (error) {
      if (limit.aborted) throw timedOut('connect.timeout', 'connect', target, connectMs)
      if (ended.aborted) throw new Failure('worker.stopping', `the request to ${target} was cancelled`)
      throw failureOf(error, { target, gotHeaders: false, timeouts: { connectMs, headersMs: 0, idleMs: 0 } })
    }
  }

  #followed(socket: Socket): Socket {
    this.#open.add(socket)
    socket.setNoDelay(true)
    socket.setTimeout(this.#options.idleMs, () => socket.destroy())
    socket.on('error', () => {}) // The user of the connection gets the error too; here it must only not crash the process.
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#received += socket.bytesRead
      this.#sent += socket.bytesWritten
    })
    return socket
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.keeping.destroy()
    this.single.destroy()
    for (const socket of this.#open) socket.destroy()
  }
}

class GatedAgent extends Agent {
  readonly #connections: Connections

  constructor(connections: Connections, options: AgentOptions) {
    super(options)
    this.#connections = connections
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    callback?: (error: Error | null, socket: Socket) => void,
  ): undefined {
    const place = { host: String(host), port: Number(port) }
    this.#connections.connectPlain(place, new AbortController().signal).then(
      socket => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    )
  }
}
