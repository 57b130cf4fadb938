// A connection that `PlainConnection` hands over to undici. The connection is idle, or the start of a response has
// arrived. In the second case, the request was already sent, but undici writes it again. This class drops that write,
// and passes the bytes that have arrived to undici.
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Failure } from '../../../model/failures.ts'

/** A request that was sent, and the start of its response. */
export interface Begun {
  text: string
  bytes: Buffer
}

export class HandedOver extends Duplex {
  readonly #socket: Socket
  /** The request that was already sent. Null if the connection was idle, and after undici has written the request again. */
  #begun: Begun | null
  /** Whether the connection may be replaced, because no request was sent. */
  readonly isIdle: boolean
  #hasEnded = false

  constructor(socket: Socket, begun: Begun | null) {
    super({ highWaterMark: 65_536 })
    this.#socket = socket
    this.#begun = begun
    this.isIdle = begun === null
    socket.on('end', () => {
      this.#hasEnded = true
      this.push(null)
    })
    socket.on('error', error => this.destroy(error))
    // If the server ended the connection normally, undici may still have to read buffered bytes.
    socket.on('close', () => this.#hasEnded || this.destroy())
  }

  /** Receives bytes of the socket. `false` pauses the socket until the bytes were read. */
  receive(bytes: Buffer): boolean {
    return this.push(Buffer.from(bytes))
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const begun = this.#begun
    if (begun === null) return void this.#socket.write(chunk, done)
    // Refuse other requests: the response belongs to the request that was sent.
    if (chunk.toString('latin1') !== begun.text) return void done(new Error('undici sent another request'))
    this.#begun = null
    done()
    this.push(begun.bytes)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  ref(): this {
    this.#socket.ref()
    return this
  }

  unref(): this {
    this.#socket.unref()
    return this
  }

  /** Returns a handler through which undici passes the response to `handler`, whose request has already started.
   *  `controller` is the controller that `handler` got at the start. */
  handlerFor(handler: Dispatcher.DispatchHandler, controller: HandedController): Dispatcher.DispatchHandler {
    return {
      onRequestStart: next => {
        if (!controller.isAborted) return controller.follow(next)
        this.destroy()
        throw new Failure('worker.stopping', 'The request was cancelled')
      },
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    }
  }
}

/** The controller that a handler got with the start of its request. */
interface HandedController {
  readonly isAborted: boolean
  /** From now on, aborts are passed to `next`. */
  follow(next: Dispatcher.DispatchController): void
}
