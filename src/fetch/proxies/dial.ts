// Connects through a proxy: checks the target, then the proxy, before any connection.
import type { Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { Failure } from '../../model/failures.ts'
import { failureOf, timedOut } from '../http/classify.ts'
import { type Address, EgressGate, type Resolver } from '../http/gate.ts'
import { openTunnel } from './connect-tunnel.ts'
import type { ProxyAddress } from './endpoint.ts'
import { proxyFailure } from './failures.ts'
import { socketTo, unlessAborted } from './judged-socket.ts'
import { logInBySocks, openSocksTunnel } from './socks.ts'

export interface Place {
  host: string
  port: number
}

interface DialerOptions {
  /** Checks targets, and proxies that are not the operator's. */
  gate: EgressGate
  /** `host:port` of the operator's proxies, which may be private, but only as proxies. */
  ownPlaces: readonly string[]
  /** Where names of targets are resolved. `here`: their addresses are checked too. `there`: only their text is checked. */
  names?: 'here' | 'there'
  secureContext?: SecureContext | undefined
  resolve?: Resolver
}

/** These proxies receive whole plain HTTP requests; others only tunnels. */
export const isForwarding = ({ scheme }: Pick<ProxyAddress, 'scheme'>): boolean =>
  scheme === 'http' || scheme === 'https'

interface Waits {
  for: 'proxy' | 'target'
}

export class ProxyDialer {
  readonly #options: DialerOptions
  readonly #ownGate: EgressGate

  constructor(options: DialerOptions) {
    this.#options = options
    const { ownPlaces, resolve } = options
    this.#ownGate = new EgressGate({ allowPrivate: [...ownPlaces], ...(resolve && { resolve }) })
  }

  /** A connection that leads to the target. Rejects with a `Failure` that names the proxy and no address. */
  tunnel(proxy: ProxyAddress, target: Place, connectMs: number, signal?: AbortSignal): Promise<Socket> {
    return this.#within(proxy, target, connectMs, signal, async (limit, waits) => {
      const addresses = await this.judge(target, limit)
      waits.for = 'proxy'
      const socket = await this.#toProxy(proxy, connectMs, limit)
      if (!isForwarding(proxy)) await logInBySocks(socket, proxy, limit)
      waits.for = 'target'
      const open = isForwarding(proxy) ? openTunnel : openSocksTunnel
      await open(socket, proxy, { ...target, addresses }, limit)
      return socket
    })
  }

  /** A connection to the proxy itself, for requests to this target and no other. */
  forward(proxy: ProxyAddress, target: Place, connectMs: number, signal?: AbortSignal): Promise<Socket> {
    return this.#within(proxy, target, connectMs, signal, async (limit, waits) => {
      await this.judge(target, limit)
      waits.for = 'proxy'
      return this.#toProxy(proxy, connectMs, limit)
    })
  }

  /** Connects to the proxy only; SOCKS also authenticates. */
  reach(proxy: ProxyAddress, connectMs: number): Promise<Socket> {
    const { host, port } = proxy
    return this.#within(proxy, { host, port }, connectMs, undefined, async (limit, waits) => {
      waits.for = 'proxy'
      const socket = await this.#toProxy(proxy, connectMs, limit)
      if (!isForwarding(proxy)) await logInBySocks(socket, proxy, limit)
      return socket
    })
  }

  /** Checks the target first. If the proxy resolves names, there are no addresses. */
  async judge({ host, port }: Place, signal: AbortSignal): Promise<Address[]> {
    const { gate, names = 'here' } = this.#options
    gate.judgeHost(host, port)
    return names === 'here' ? unlessAborted(gate.resolve(host, port), signal) : []
  }

  async #toProxy(proxy: ProxyAddress, connectMs: number, signal: AbortSignal): Promise<Socket> {
    const { host, port } = proxy
    const gate = proxy.isOperators ? this.#ownGate : this.#options.gate
    const addresses = await this.#addressesOf(gate, proxy, signal)
    try {
      const socket = await socketTo(addresses, port, signal)
      socket.setNoDelay(true)
      return proxy.scheme === 'https' ? await this.#secured(socket, host, signal) : socket
    } catch (error) {
      throw this.#ofProxy(proxy, error, connectMs)
    }
  }

  /** A forbidden proxy is refused; one without DNS is only down. */
  async #addressesOf(gate: EgressGate, proxy: ProxyAddress, signal: AbortSignal): Promise<Address[]> {
    try {
      return await unlessAborted(gate.resolve(proxy.host, proxy.port), signal)
    } catch (error) {
      if (error instanceof Failure && error.code === 'address.refused') throw refusedProxy(proxy, error)
      throw this.#ofProxy(proxy, error, 0)
    }
  }

  #secured(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const { secureContext } = this.#options
      const secured = connectTls({ socket, servername: host, ...(secureContext && { secureContext }) })
      const abort = () => secured.destroy(new Error('aborted'))
      signal.addEventListener('abort', abort, { once: true })
      secured.once('error', reject)
      secured.once('secureConnect', () => {
        signal.removeEventListener('abort', abort)
        secured.off('error', reject)
        resolve(secured)
      })
    })
  }

  async #within<Result>(
    proxy: ProxyAddress,
    target: Place,
    connectMs: number,
    signal: AbortSignal | undefined,
    work: (limit: AbortSignal, waits: Waits) => Promise<Result>,
  ): Promise<Result> {
    const late = AbortSignal.timeout(connectMs)
    const ended = signal ? AbortSignal.any([signal, late]) : late
    const waits: Waits = { for: 'target' }
    try {
      return await work(ended, waits)
    } catch (error) {
      if (late.aborted && waits.for === 'proxy')
        throw proxyFailure(
          proxy,
          'proxy.failed',
          `did not answer within ${connectMs} ms (timeouts.connectMs)`,
        )
      if (late.aborted) throw tooSlow(proxy, target, connectMs)
      if (ended.aborted)
        throw new Failure('worker.stopping', `the request to ${target.host}:${target.port} was cancelled`)
      throw failureOf(error, progressOf(target, connectMs))
    }
  }

  #ofProxy(proxy: ProxyAddress, error: unknown, connectMs: number): Failure {
    const { code } = failureOf(error, progressOf(proxy, connectMs))
    return proxyFailure(proxy, 'proxy.failed', `could not be reached (${code})`)
  }
}

const progressOf = ({ host, port }: Place, connectMs: number) => ({
  target: `${host}:${port}`,
  gotHeaders: false,
  timeouts: { connectMs, headersMs: 0, idleMs: 0 },
})

/** After the proxy has responded, the proxy or the target may be the slow one. */
function tooSlow(proxy: ProxyAddress, { host, port }: Place, connectMs: number): Failure {
  const { code, message, details } = timedOut('connect.timeout', 'connect', `${host}:${port}`, connectMs)
  return new Failure(code, `${message}, through ${proxy.name}`, { ...details, proxy: proxy.name })
}

const refusedProxy = ({ name }: ProxyAddress, { code, details }: Failure): Failure =>
  new Failure(
    code,
    `The proxy ${name} is at a place that jobs may not use; the operator can name it in SCRAPER_PROXIES`,
    { ...details, proxy: name },
  )
