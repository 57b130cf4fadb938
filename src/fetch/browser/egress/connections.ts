// Outgoing connections of a browser context. They are opened only to checked addresses, counted, and closed together.
import type { AgentOptions, ClientRequestArgs } from 'node:http'
import type { Socket } from 'node:net'
import { Agent } from '../../../lib/node-http.ts'
import { Failure } from '../../../model/failures.ts'
import { failureOf, timedOut } from '../../http/classify.ts'
import type { EgressGate } from '../../http/gate.ts'
import { socketTo, unlessAborted } from '../../proxies/checked-socket.ts'
import { isForwarding, type ProxyDialer } from '../../proxies/dial.ts'
import type { ProxyAddress } from '../../proxies/endpoint.ts'

interface ConnectionsOptions {
  gate: EgressGate
  connectMs: number
  idleMs: number
  upstream?: Upstream | undefined
}

/** The proxy of the job or operator, through which this egress proxy sends all traffic. */
export interface Upstream {
  dialer: ProxyDialer
  proxy: ProxyAddress
}

/** The target of a connection. `host` is the name that the egress gate checked. */
interface Place {
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
  /** Agent that reuses connections for plain requests to the same target. */
  readonly keepAlive: GatedAgent
  /** Agent that opens a new connection per request. For requests that must not be sent again if a reused connection is
   *  dead. */
  readonly single: GatedAgent

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.keepAlive = new GatedAgent(this, {
      keepAlive: true,
      timeout: keptMs,
      maxTotalSockets: maxConnections,
    })
    this.single = new GatedAgent(this, { maxTotalSockets: maxConnections })
  }

  get received(): number {
    return [...this.#open].reduce((sum, socket) => sum + socket.bytesRead, this.#received)
  }

  get sent(): number {
    return [...this.#open].reduce((sum, socket) => sum + socket.bytesWritten, this.#sent)
  }

  /** Opens a connection to a target, directly or through the upstream proxy. The gate checks the target first. The
   *  `Failure` it rejects with contains no address. */
  async connect(place: Place, signal: AbortSignal): Promise<Socket> {
    const { upstream, connectMs } = this.#options
    if (!upstream) return this.#connectHere(place, signal)
    const ended = AbortSignal.any([signal, this.#closing.signal])
    return this.#followed(await upstream.dialer.tunnel(upstream.proxy, place, connectMs, ended))
  }

  /** The upstream proxy if it accepts plain HTTP requests. Null if there is no upstream proxy or it accepts only
   *  tunnels. */
  get forwarder(): ProxyAddress | null {
    const { upstream } = this.#options
    return upstream && isForwarding(upstream.proxy) ? upstream.proxy : null
  }

  /** Opens a connection for plain requests to this place: to the place itself, or to the forwarding proxy. */
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
    socket.on('error', () => {}) // Without a listener, an error would crash the process. The code that uses the connection handles the error.
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#received += socket.bytesRead
      this.#sent += socket.bytesWritten
    })
    return socket
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.keepAlive.destroy()
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
