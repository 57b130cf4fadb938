// One keep-alive connection for GET requests over plain HTTP. It reads ordinary responses itself, because undici takes twice the CPU
// time: streams, timers, and about fifty objects per response. bench/RESULTS.md has the measurement. undici handles everything
// unusual. If a response turns out to be unusual, undici takes over the connection, with the bytes that have already arrived.
import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import type { buildConnector, Client, Dispatcher } from 'undici'
import { undici } from '../undici.ts'
import { afterPoll } from './after-poll.ts'
import { type Begun, HandedOver } from './handed-over.ts'
import { readPlainHead } from './plain-head.ts'
import { type PlainRequest, plainRequestText } from './plain-request.ts'

interface PlainOrigin {
  readonly url: URL
  /** Opens a socket with the options `receiving`. */
  readonly connect: buildConnector.connector
  /** Opens a client of undici. `first` is its first connection, if there is one. */
  readonly openClient: (first?: HandedOver) => Client
  readonly keepAliveMs: number
  /** Set after an unusual response. Then undici opens all further connections. */
  isUnusual: boolean
}

/** `checking`: waits for one poll before the socket is reused. `closing`: the socket is destroyed, but not closed yet. */
type Phase = 'closed' | 'connecting' | 'idle' | 'checking' | 'head' | 'body' | 'closing'

/** A body is received in pieces of at most this size, so that an announced length alone takes no memory. */
const pieceBytes = 262_144
/** Like undici, stop using a connection this long before the server closes it. */
const keepAliveMarginMs = 2_000
const longestKeepAliveMs = 600_000

const owner = Symbol('owner')
type OwnedSocket = Socket & { [owner]?: { receive(bytes: Buffer): boolean } }

/** All sockets of a thread read into the same memory, because their bytes are used or copied before the next read. */
let memory: Buffer | null = null

/** Options of sockets that pass their bytes to their owner. */
export const receiving = (): object => {
  memory ??= Buffer.allocUnsafeSlow(65_536)
  return {
    onread: {
      buffer: memory,
      callback(this: OwnedSocket, length: number, buffer: Buffer): boolean {
        return this[owner]?.receive(buffer.subarray(0, length)) ?? true
      },
    },
  }
}

/** Aborts a request. After undici has taken over, it aborts undici's request. */
class Controller {
  readonly #abort: (error: Error) => void
  #next: Dispatcher.DispatchController | null = null
  isAborted = false

  constructor(abort: (error: Error) => void) {
    this.#abort = abort
  }

  abort(error: Error): void {
    this.isAborted = true
    if (this.#next) this.#next.abort(error)
    else this.#abort(error)
  }

  follow(next: Dispatcher.DispatchController): void {
    this.#next = next
  }
}

const asUndicis = (controller: Controller | null) => controller as unknown as Dispatcher.DispatchController

export class PlainConnection {
  readonly #origin: PlainOrigin
  readonly #drained: Array<() => void> = []
  #phase: Phase = 'closed'
  #socket: OwnedSocket | null = null
  #request: PlainRequest | null = null
  #text = ''
  #controller: Controller | null = null
  /** Replaces this connection after an unusual request or response. */
  #client: Client | null = null
  /** Bytes of the body that are missing, and the piece that is being received. */
  #left = 0
  #piece: Buffer | null = null
  #filled = 0
  /** How long the connection may be idle. 0: it must not be reused. */
  #idleMs: number
  #error: Error | null = null
  #timer: NodeJS.Timeout | null = null
  #firesAt = Number.POSITIVE_INFINITY
  #deadlineAt = Number.POSITIVE_INFINITY
  #ended: PromiseWithResolvers<void> | null = null

  constructor(origin: PlainOrigin) {
    this.#origin = origin
    this.#idleMs = origin.keepAliveMs
  }

  on(_event: 'drain', drained: () => void): void {
    this.#drained.push(drained)
  }

  /** Sends a request. Returns false if the next request must wait for `drain`, like undici's client. */
  dispatch(...request: PlainRequest): boolean {
    const text = this.#client || this.#origin.isUnusual ? null : plainRequestText(request, this.#origin.url)
    if (text === null) return this.#byClient().dispatch(...request)
    this.#request = request
    this.#text = text
    if (this.#phase === 'idle') this.#check()
    else if (this.#phase === 'closed') this.#connect()
    return false
  }

  #byClient(first?: HandedOver): Client {
    if (this.#client) return this.#client
    this.#client = this.#origin.openClient(first ?? this.#giveUp(null))
    this.#client.on('drain', () => this.#drain())
    return this.#client
  }

  #drain(): void {
    for (const drained of this.#drained) drained()
  }

  #connect(): void {
    const { hostname, host, protocol, port } = this.#origin.url
    this.#phase = 'connecting'
    this.#origin.connect({ hostname, host, protocol, port }, (error, socket) => {
      if (error === null) return this.#connected(socket)
      this.#phase = 'closed'
      this.#fail(error)
      this.#ended?.resolve()
      this.#drain()
    })
  }

  #connected(socket: OwnedSocket): void {
    this.#socket = socket
    this.#error = null
    this.#idleMs = this.#origin.keepAliveMs
    socket[owner] = this
    socket.on('error', error => {
      this.#error ??= error
    })
    socket.on('end', () => this.#otherSideClosed(socket))
    socket.on('close', () => this.#closed(socket))
    if (this.#request) this.#send(socket)
    else socket.destroy()
  }

  /** Waits for one poll of all sockets before this socket is reused. The poll reports whether it was closed or received
   *  unrequested bytes. */
  #check(): void {
    const socket = this.#socket!
    this.#phase = 'checking'
    socket.ref()
    afterPoll(() => {
      if (this.#phase === 'checking' && this.#socket === socket) this.#send(socket)
    })
  }

  #send(socket: OwnedSocket): void {
    const [options, handler] = this.#request!
    const controller = new Controller(error => this.#abort(controller, error))
    this.#controller = controller
    try {
      handler.onRequestStart?.(asUndicis(controller), {})
    } catch (error) {
      // The handler cancelled the request before it was sent, so the connection stays usable.
      if (this.#controller === controller) this.#fail(error as Error)
      return void this.#rest()
    }
    if (this.#controller !== controller) return
    this.#phase = 'head'
    this.#limit(options.headersTimeout ?? 0)
    socket.write(this.#text, 'latin1')
  }

  /** Called with all bytes of the socket. They are valid only during the call. */
  receive(bytes: Buffer): boolean {
    if (this.#phase === 'body') this.#receiveBody(bytes)
    else if (this.#phase === 'head') this.#receiveHead(bytes)
    // No request is waiting for these bytes. The server may mean them as the response to the next request, so close the
    // connection.
    else this.#socket!.destroy()
    return true
  }

  #receiveHead(bytes: Buffer): void {
    const [options, handler] = this.#request!
    const controller = this.#controller!
    const end = bytes.indexOf('\r\n\r\n')
    const head = end === -1 ? null : readPlainHead(bytes.toString('latin1', 0, end))
    handler.onResponseStarted?.()
    // undici reads a head that is unusual, or that has not arrived completely. The latter does not mark the origin as
    // unusual.
    if (head === null) return void this.#handOver(bytes, end !== -1)
    this.#phase = 'body'
    this.#left = head.length
    this.#idleMs = this.#idleMsAfter(head.keepAliveMs)
    this.#limit(options.bodyTimeout ?? 0)
    handler.onPlainHead!(asUndicis(controller), head.status, head.headers)
    if (this.#controller === controller) this.#receiveBody(bytes.subarray(end + 4))
  }

  #idleMsAfter(hintMs: number | null): number {
    if (hintMs === null) return this.#origin.keepAliveMs
    return Math.max(0, Math.min(hintMs - keepAliveMarginMs, longestKeepAliveMs))
  }

  #receiveBody(bytes: Buffer): void {
    const controller = this.#controller
    // Bytes after the body may be meant as the response to the next request, so this connection gets no further
    // request.
    if (bytes.length > this.#left) this.#idleMs = 0
    for (let at = 0; at < bytes.length && this.#left > 0; ) {
      at += this.#copyPiece(bytes, at)
      if (this.#controller !== controller) return
    }
    if (this.#left === 0) this.#finish()
    else this.#limit(this.#request![0].bodyTimeout ?? 0)
  }

  /** Copies bytes into the current piece, and passes a full piece to the handler. Returns the number of copied
   *  bytes. */
  #copyPiece(bytes: Buffer, from: number): number {
    this.#piece ??= Buffer.allocUnsafeSlow(Math.min(this.#left, pieceBytes))
    const piece = this.#piece
    const copied = bytes.copy(piece, this.#filled, from)
    this.#filled += copied
    this.#left -= copied
    if (this.#filled === piece.length) {
      this.#piece = null
      this.#filled = 0
      this.#request![1].onResponseData?.(asUndicis(this.#controller!), piece)
    }
    return copied
  }

  #finish(): void {
    const [, handler] = this.#request!
    const controller = this.#controller!
    this.#request = null
    this.#controller = null
    handler.onResponseEnd?.(asUndicis(controller), {})
    this.#rest()
  }

  /** Makes the connection free for the next request, or closes it. */
  #rest(): void {
    if (this.#idleMs === 0 || this.#ended) return void this.#destroy()
    this.#phase = 'idle'
    this.#socket!.unref()
    this.#limit(this.#idleMs)
    this.#drain()
  }

  #abort(controller: Controller, error: Error): void {
    if (this.#controller !== controller) return
    this.#fail(error)
    this.#destroy()
  }

  #destroy(error?: Error): void {
    this.#phase = 'closing'
    this.#socket?.destroy(error)
  }

  #fail(error: Error): void {
    const request = this.#request
    const controller = this.#controller
    this.#request = null
    this.#controller = null
    request?.[1].onResponseError?.(asUndicis(controller), error)
  }

  #otherSideClosed(socket: OwnedSocket): void {
    if (this.#socket !== socket) return
    const isRunning = this.#phase === 'head' || this.#phase === 'body'
    socket.destroy(isRunning ? new (undici().errors.SocketError)('other side closed') : undefined)
  }

  #closed(socket: OwnedSocket): void {
    if (this.#socket !== socket) return
    const isUnsent = this.#phase === 'checking'
    const error = this.#error ?? new (undici().errors.SocketError)('closed')
    this.#forgetSocket()
    if (isUnsent && this.#request) return void this.#connect()
    this.#fail(error)
    this.#ended?.resolve()
    this.#drain()
  }

  #forgetSocket(): void {
    this.#phase = 'closed'
    this.#socket = null
    this.#piece = null
    this.#filled = 0
    this.#stopTimer()
  }

  /** Passes the connection to undici, which reads the response from its start. */
  #handOver(bytes: Buffer, isUnusual: boolean): void {
    const [options, handler] = this.#request!
    const controller = this.#controller!
    this.#origin.isUnusual ||= isUnusual
    this.#request = null
    this.#controller = null
    const first = this.#giveUp({ text: this.#text, bytes: Buffer.from(bytes) })!
    this.#byClient(first).dispatch(options, first.handlerFor(handler, controller))
  }

  #giveUp(begun: Begun | null): HandedOver | undefined {
    const socket = this.#socket
    this.#forgetSocket()
    if (socket === null) return undefined
    socket.ref()
    const first = new HandedOver(socket, begun)
    socket[owner] = first
    return first
  }

  /** Limits the time until the next event. The timer is not restarted for each response, because that costs more. If it
   *  fires too early, it is started again. */
  #limit(ms: number): void {
    this.#deadlineAt = ms > 0 ? performance.now() + ms : Number.POSITIVE_INFINITY
    if (this.#deadlineAt < this.#firesAt) this.#startTimer(ms)
  }

  #startTimer(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#firesAt = performance.now() + ms
    this.#timer = setTimeout(() => this.#fired(), ms).unref()
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#firesAt = Number.POSITIVE_INFINITY
  }

  #fired(): void {
    this.#timer = null
    this.#firesAt = Number.POSITIVE_INFINITY
    const leftMs = this.#deadlineAt - performance.now()
    if (leftMs === Number.POSITIVE_INFINITY) return
    if (leftMs > 0.5) this.#startTimer(leftMs)
    else this.#timeUp()
  }

  #timeUp(): void {
    const { errors } = undici()
    if (this.#phase === 'head') this.#socket!.destroy(new errors.HeadersTimeoutError())
    else if (this.#phase === 'body') this.#socket!.destroy(new errors.BodyTimeoutError())
    else if (this.#phase === 'idle') this.#destroy()
  }

  /** Closes the connection after its request has ended. */
  async close(): Promise<void> {
    if (this.#client) return this.#client.close()
    this.#ended ??= Promise.withResolvers<void>()
    if (this.#phase === 'closed' || (this.#phase === 'connecting' && !this.#request)) return
    if (!this.#request) this.#destroy()
    await this.#ended.promise
  }

  /** Aborts the request and closes the connection. */
  async destroy(): Promise<void> {
    if (this.#client) return this.#client.destroy()
    this.#fail(new (undici().errors.ClientDestroyedError)())
    await this.close()
  }
}
