// A deadline for work that may never end. Waits for slots stop its timer.
import { offAbort, onAbort } from '../../../lib/abort-handlers.ts'
import type { Failure } from '../../../model/failures.ts'
import type { Clock } from '../../../ports/clock.ts'

export class Deadline implements Disposable {
  readonly #clock: Clock
  readonly #late: () => Failure
  readonly #ended = new AbortController()
  #leftMs: number
  /** When the timer was started, and how to stop it. Null while the timer is stopped. */
  #running: { since: number; stop: AbortController } | null = null
  #waits = 0

  /** `ms` 0 means no deadline. `late` creates the failure. */
  constructor(clock: Clock, ms: number, late: () => Failure) {
    this.#clock = clock
    this.#late = late
    this.#leftMs = ms > 0 ? ms : Number.POSITIVE_INFINITY
    this.#go()
  }

  /** Aborts with the failure when the deadline has passed. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Resolves with the result of `work`, or rejects with the failure at the deadline. Later results of `work` are ignored. */
  async over<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const end = () => reject(this.signal.reason)
    if (this.signal.aborted) end()
    onAbort(this.signal, end)
    try {
      return await Promise.race([work, late])
    } finally {
      offAbort(this.signal, end)
    }
  }

  /** Stops the timer until `wait` resolves. With several waits at once, it is stopped until the last one resolves. */
  async whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result> {
    if (this.#waits++ === 0) this.#stand()
    try {
      return await wait()
    } finally {
      if (--this.#waits === 0) this.#go()
    }
  }

  #go(): void {
    if (this.#leftMs === Number.POSITIVE_INFINITY || this.signal.aborted) return
    const stop = new AbortController()
    this.#running = { since: this.#clock.now(), stop }
    this.#clock.sleep(this.#leftMs, stop.signal).then(
      () => this.#ended.abort(this.#late()),
      () => {},
    )
  }

  #stand(): void {
    if (this.#running === null) return
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#running.since))
    this.#running.stop.abort()
    this.#running = null
  }

  [Symbol.dispose](): void {
    this.#leftMs = Number.POSITIVE_INFINITY
    this.#running?.stop.abort()
    this.#running = null
  }
}
