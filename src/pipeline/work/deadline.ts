// A deadline for work that may never end. Time spent waiting for others is not counted.
import type { Failure } from '../../model/failures.ts'
import type { Clock } from '../../ports/clock.ts'

export class Deadline implements Disposable {
  readonly #clock: Clock
  readonly #late: () => Failure
  readonly #ended = new AbortController()
  #leftMs: number
  /** Since when the time runs, and how to stop it; null while it is stopped. */
  #running: { since: number; stop: AbortController } | null = null
  #waits = 0

  /** `ms` 0 sets no deadline. `late` makes the failure. */
  constructor(clock: Clock, ms: number, late: () => Failure) {
    this.#clock = clock
    this.#late = late
    this.#leftMs = ms > 0 ? ms : Number.POSITIVE_INFINITY
    this.#go()
  }

  /** Aborted, with the failure, when the time is over. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** The result of `work`, or the failure as soon as the time is over. Later results of `work` are ignored. */
  async over<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const end = () => reject(this.signal.reason)
    if (this.signal.aborted) end()
    this.signal.addEventListener('abort', end, { once: true })
    try {
      return await Promise.race([work, late])
    } finally {
      this.signal.removeEventListener('abort', end)
    }
  }

  /** Stops the time while it waits, also for several waits at once. */
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
