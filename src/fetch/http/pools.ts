// Keep-alive connections, with one pool per origin. They are opened through the egress gate and closed when idle.
import type { LookupFunction, Socket } from 'node:net'
import { isIP } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector, Pool } from 'undici'
import { RecentMap } from '../../lib/collections/recent-map.ts'
import { Failure } from '../../model/failures.ts'
import { isForwarding, type ProxyDialer } from '../proxies/dial.ts'
import type { ProxyAddress } from '../proxies/endpoint.ts'
import { failureOf } from './classify.ts'
import { type EgressGate, hostOf, portOf } from './gate.ts'
import { afterPoll } from './plain/after-poll.ts'
import type { HandedOver } from './plain/handed-over.ts'
import { PlainConnection, receiving } from './plain/plain-connection.ts'
import { PlainPool } from './plain/plain-pool.ts'
import { undici } from './undici.ts'

interface PoolsOptions {
  gate: EgressGate
  /** TLS context that trusts additional certificates. */
  secureContext?: SecureContext | undefined
  connectionsPerOrigin?: number
  /** Required for requests through proxies. */
  dialer?: ProxyDialer | undefined
}

/** The connections of one origin. */
export interface OriginPool extends OriginFacts {
  readonly pool: Pool | PlainPool
}

/** The state of an origin's connections, as an exchange sees it. */
interface OriginFacts {
  /** `host:port`, for messages. */
  readonly target: string
  /** Number of connections opened so far. If it did not change between request and send, the socket was reused. */
  opened: number
  /** Number of connections broken so far. It reveals a reset connection, which undici mistakes for the end of a body
   *  without a length. */
  broken: number
  /** Remote address of the newest connection. */
  remoteAddress: string | null
  inFlight: number
  lastUsedAt: number
}

const maxPools = 1_024
const maxConnectors = 256
const idlePoolMs = 60_000
const sweepEveryMs = 15_000
const maxHeaderBytes = 65_536
const keepAliveMs = 20_000

export class Pools implements AsyncDisposable {
  readonly #gate: EgressGate
  readonly #secureContext: SecureContext | undefined
  readonly #connections: number
  readonly #dialer: ProxyDialer | undefined
  readonly #pools = new Map<string, OriginPool>()
  readonly #connectors = new RecentMap<string, buildConnector.connector>(maxConnectors)
  readonly #sweeper: NodeJS.Timeout
  #isClosed = false

  constructor({ gate, secureContext, connectionsPerOrigin = 128, dialer }: PoolsOptions) {
    this.#gate = gate
    this.#connections = connectionsPerOrigin
    this.#secureContext = secureContext
    this.#dialer = dialer
    this.#sweeper = setInterval(() => this.#closeIdle(Date.now() - idlePoolMs), sweepEveryMs).unref()
  }

  /** The pool of an origin. There is one for each connect timeout and proxy. */
  of(url: URL, connectMs: number, proxy?: ProxyAddress): OriginPool {
    const key = proxy ? `${url.origin} ${connectMs} ${proxy.id}` : `${url.origin} ${connectMs}`
    const known = this.#pools.get(key)
    if (known !== undefined) return known
    if (this.#isClosed)
      throw new Failure('worker.stopping', `${url.origin} is not fetched: the fetcher is closed`)
    if (this.#pools.size >= maxPools) this.#closeOldest()
    const opened = this.#open(url, connectMs, proxy)
    this.#pools.set(key, opened)
    return opened
  }

  #open(url: URL, connectMs: number, proxy?: ProxyAddress): OriginPool {
    const facts = {
      target: `${url.hostname}:${portOf(url)}`,
      opened: 0,
      broken: 0,
      remoteAddress: null,
      inFlight: 0,
      lastUsedAt: Date.now(),
    }
    return Object.assign(facts, { pool: this.#poolOf(facts, url, connectMs, proxy) })
  }

  #poolOf(facts: OriginFacts, url: URL, connectMs: number, proxy?: ProxyAddress): Pool | PlainPool {
    const options = { maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs }
    const connect = proxy
      ? this.#proxied(facts, url, connectMs, proxy)
      : this.#connector(facts, url, connectMs, this.#judged(portOf(url), connectMs))
    if (url.protocol === 'https:') {
      const connections = this.#connections
      return new (undici().Pool)(url.origin, { ...options, connect, connections, allowH2: true })
    }
    const openClient = (first?: HandedOver) =>
      new (undici().Client)(url.origin, { ...options, connect: first ? firstBy(first, connect) : connect })
    if (proxy) return new PlainPool(() => openClient(), this.#connections)
    const receives = this.#connector(facts, url, connectMs, this.#judged(portOf(url), connectMs, true))
    const origin = { url, connect: receives, openClient, keepAliveMs, isUnusual: false }
    return new PlainPool(() => new PlainConnection(origin), this.#connections)
  }

  /** Connects through a proxy. The dialer checks the target before it contacts the proxy. TLS is established with the
   *  target, inside the tunnel. */
  #proxied(origin: OriginFacts, url: URL, connectMs: number, proxy: ProxyAddress): buildConnector.connector {
    const dialer = this.#dialer!
    const isSecure = url.protocol === 'https:'
    const target = { host: hostOf(url), port: portOf(url) }
    const secured = undici().buildConnector({
      timeout: connectMs,
      allowH2: true,
      ...(this.#secureContext && { secureContext: this.#secureContext }),
      // An unlocker decrypts TLS and presents its own certificate, so the certificate cannot be verified.
      ...(proxy.isUnlocker && { rejectUnauthorized: false }),
    } as buildConnector.BuildOptions)
    const asWhole = !isSecure && isForwarding(proxy)
    return (options, callback) => {
      const dialled = asWhole
        ? dialer.forward(proxy, target, connectMs)
        : dialer.tunnel(proxy, target, connectMs)
      dialled.then(
        socket => {
          this.#watch(origin, socket, null)
          if (!isSecure) return callback(null, socket)
          secured({ ...options, httpSocket: socket }, (error, inside) =>
            error === null
              ? callback(null, inside)
              : callback(failureOf(error, progressOf(origin, connectMs)), null),
          )
        },
        (failure: Error) => callback(failureOf(failure, progressOf(origin, connectMs)), null),
      )
    }
  }

  #watch(origin: OriginFacts, socket: Socket, remoteAddress: string | null): void {
    origin.opened++
    origin.remoteAddress = remoteAddress
    socket.prependListener('error', () => origin.broken++)
  }

  /** Connects only to addresses that the gate has just checked. The name is still used for Host, SNI and the
   *  certificate. */
  #connector(
    origin: OriginFacts,
    url: URL,
    connectMs: number,
    connect: buildConnector.connector,
  ): buildConnector.connector {
    const host = hostOf(url)
    const port = portOf(url)
    const progress = progressOf(origin, connectMs)
    return (options, callback) => {
      // Check a literal address here, because Node does not call `lookup` for it.
      if (isIP(host) !== 0) this.#gate.judgeHost(host, port)
      connect(options, (error, socket) => {
        if (error !== null) return callback(failureOf(error, progress), null)
        this.#watch(origin, socket, socket.remoteAddress ?? null)
        callback(null, socket)
      })
    }
  }

  /** All hosts share one connector per port and connect timeout. One connector per host would use too much memory,
   *  because each connector has its own TLS session cache. */
  #judged(port: number, connectMs: number, isPlain = false): buildConnector.connector {
    const key = `${port} ${connectMs} ${isPlain}`
    const known = this.#connectors.get(key) ?? this.#buildJudged(port, connectMs, isPlain)
    this.#connectors.set(key, known)
    return known
  }

  #buildJudged(port: number, connectMs: number, isPlain: boolean): buildConnector.connector {
    return undici().buildConnector({
      ...(isPlain && receiving()),
      timeout: connectMs,
      allowH2: true,
      autoSelectFamily: true,
      maxCachedSessions: maxPools,
      lookup: this.#judgedLookup(port),
      ...(this.#secureContext && { secureContext: this.#secureContext }),
    } as buildConnector.BuildOptions)
  }

  #judgedLookup(port: number): LookupFunction {
    return (host, options, callback) => {
      this.#gate.resolve(host, port).then(
        addresses =>
          options.all
            ? callback(null, addresses)
            : callback(null, addresses[0]!.address, addresses[0]!.family),
        error => callback(error, []),
      )
    }
  }

  #closeIdle(usedBefore: number): void {
    for (const [key, origin] of this.#pools) {
      if (origin.inFlight === 0 && origin.lastUsedAt < usedBefore) this.#close(key, origin)
    }
  }

  #closeOldest(): void {
    const idle = [...this.#pools].filter(([, origin]) => origin.inFlight === 0)
    const oldest = idle.sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt).slice(0, maxPools / 8)
    for (const [key, origin] of oldest) this.#close(key, origin)
  }

  #close(key: string, origin: OriginPool): void {
    this.#pools.delete(key)
    void origin.pool.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#sweeper)
    const open = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(open.map(origin => origin.pool.destroy()))
  }
}

const progressOf = ({ target }: OriginFacts, connectMs: number) => ({
  target,
  gotHeaders: false,
  timeouts: { connectMs, headersMs: 0, idleMs: 0 },
})

/** Returns a connector that gives `first` as its first connection, and later opens connections with `connect`. */
export function firstBy(first: HandedOver, connect: buildConnector.connector): buildConnector.connector {
  let isGiven = false
  return (options, callback) => {
    if (isGiven) return connect(options, callback)
    isGiven = true
    const give = () => callback(null, first as unknown as Socket)
    // If the socket is idle, wait for one poll, so that unrequested bytes are detected before undici writes its
    // request. In the middle of a response, undici must take over before the next event of the socket.
    if (first.isIdle) afterPoll(() => (first.destroyed ? connect(options, callback) : give()))
    else queueMicrotask(give)
  }
}

/** The TLS context that trusts additional certificates. Build it once: parsing the root certificates for each
 *  connection would cost more than the handshake. */
export function trusting(extraCertificates: string): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), extraCertificates] })
}

/** The certificates of the system and those bundled with Node, as PEM. */
export const usualAuthorities = (): string =>
  [...new Set([...getCACertificates('system'), ...getCACertificates('bundled')])].join('\n')
