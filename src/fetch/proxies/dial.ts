// Opens connections through a proxy. Both the target and the proxy are checked before any connection.
import type { Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { offAbort, onAbort } from '../../lib/abort-handlers.ts'
import { Failure } from '../../model/failures.ts'
import { failureOf, timedOut } from '../http/classify.ts'
import { type Address, EgressGate, type Resolver } from '../http/gate.ts'
import { socketTo, unlessAborted } from './checked-socket.ts'
import { openTunnel } from './connect-tunnel.ts'
import type { ProxyAddress } from './endpoint.ts'
import { proxyFailure } from './failures.ts'
import { logInBySocks, openSocksTunnel } from './socks.ts'

interface Place {
  host: string
  port: number
}

interface DialerOptions {
  /** Checks targets, and proxies that the operator did not configure. */
  gate: EgressGate
  /** `host:port` of the operator's proxies. They may have private addresses, but only as proxies, not as targets. */
  ownPlaces: readonly string[]
  /** Where target names are resolved. `here`: by this process, which also checks the addresses. `there`: by the proxy,
   *  so only the name is checked. */
  names?: 'here' | 'there'
  secureContext?: SecureContext | undefined
  resolve?: Resolver
}

/** True for proxies that accept whole plain HTTP requests. Others accept only tunnels. */
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

  /** Opens a connection to the target through the proxy. Rejects with a `Failure` that contains no address. If the
   *  proxy may be at fault, the failure names it. */
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

  /** Opens a connection to the proxy for plain requests. Only this target is checked, so send no requests to others. */
  forward(proxy: ProxyAddress, target: Place, connectMs: number, signal?: AbortSignal): Promise<Socket> {
    return this.#within(proxy, target, connectMs, signal, async (limit, waits) => {
      await this.judge(target, limit)
      waits.for = 'proxy'
      return this.#toProxy(proxy, connectMs, limit)
    })
  }

  /** Connects to the proxy without a target. SOCKS proxies also verify the password. */
  reach(proxy: ProxyAddress, connectMs: number): Promise<Socket> {
    const { host, port } = proxy
    return this.#within(proxy, { host, port }, connectMs, undefined, async (limit, waits) => {
      waits.for = 'proxy'
      const socket = await this.#toProxy(proxy, connectMs, limit)
      if (!isForwarding(proxy)) await logInBySocks(socket, proxy, limit)
      return socket
    })
  }

  /** Checks the target and returns its addresses. Empty if the proxy resolves names. */
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

  /** Addresses of the proxy. A forbidden address rejects with the gate's refusal. A failed DNS lookup counts as a
   *  failure of the proxy. */
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
      onAbort(signal, abort)
      secured.once('error', reject)
      secured.once('secureConnect', () => {
        offAbort(signal, abort)
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

/** After the proxy has responded, either the proxy or the target may be slow. So this failure does not blame the proxy. */
function tooSlow(proxy: ProxyAddress, { host, port }: Place, connectMs: number): Failure {
  const { code, message, details } = timedOut('connect.timeout', 'connect', `${host}:${port}`, connectMs)
  return new Failure(code, `${message}, through ${proxy.name}`, { ...details, proxy: proxy.name })
}

const refusedProxy = ({ name }: ProxyAddress, { code, details }: Failure): Failure =>
  new Failure(
    code,
    `The proxy ${name} has an address that jobs may not use; the operator can list it in SCRAPER_PROXIES`,
    { ...details, proxy: name },
  )
