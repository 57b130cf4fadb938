// Server-sent events with a bounded buffer for slow readers.
import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { mapKeys, snake } from '../../model/letter-case.ts'

/** Interval of heartbeats. Proxies close connections that are silent for longer. */
const beatMs = 15_000
/** Above this backlog, events for a slow reader are dropped, and the reader is notified. */
const mostWaitingBytes = 1_048_576

export class EventStream {
  readonly #stream = new PassThrough({ highWaterMark: mostWaitingBytes })
  readonly #beat: NodeJS.Timeout
  #dropped = 0

  constructor() {
    this.#beat = setInterval(() => this.#stream.write(': still here\n\n'), beatMs).unref()
  }

  /** `essential` events are never dropped. */
  send(event: string, data: unknown, { essential = false } = {}): void {
    if (!essential && this.#stream.writableLength > mostWaitingBytes) {
      this.#dropped += 1
      return
    }
    if (this.#dropped > 0) this.#write('dropped', { events: this.#dropped })
    this.#dropped = 0
    this.#write(event, data)
  }

  #write(event: string, data: unknown): void {
    if (this.#stream.writable)
      this.#stream.write(`event: ${event}\ndata: ${JSON.stringify(mapKeys(data, snake))}\n\n`)
  }

  end(): void {
    clearInterval(this.#beat)
    if (this.#stream.writable) this.#stream.end()
  }

  /** Ends the stream without flushing, because the reader has gone. */
  abandon(): void {
    this.#stream.destroy()
  }

  /** Calls `done` once, when the reader has gone or the stream has ended. */
  onClose(done: () => void): void {
    this.#stream.once('close', () => {
      clearInterval(this.#beat)
      done()
    })
  }

  answer(reply: FastifyReply): FastifyReply {
    return reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(this.#stream)
  }
}
