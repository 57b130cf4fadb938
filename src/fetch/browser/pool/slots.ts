// A limited number of slots, granted in order of request.
import { Failure } from '../../../model/failures.ts'
import { limitWithin, raced } from '../bounded.ts'

export class Slots {
  readonly size: number
  #inUse = 0
  #queue: Array<() => void> = []

  constructor(size: number) {
    this.size = size
  }

  get inUse(): number {
    return this.#inUse
  }

  /** Resolves with a function that returns the slot. Rejects with `pool.exhausted` after `withinMs`, or with the
   *  signal's reason. */
  async take(withinMs: number, signal: AbortSignal): Promise<() => void> {
    if (this.#inUse >= this.size) await this.#turn(withinMs, signal)
    else this.#inUse++
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      this.#giveBack()
    }
  }

  async #turn(withinMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#queue.push(resolve)
    using limit = limitWithin(signal, withinMs, exhausted(this.size, withinMs))
    try {
      await raced(promise, limit.signal)
    } catch (error) {
      this.#leave(resolve)
      throw error
    }
  }

  /** Removes a waiter from the queue. If it is no longer in the queue, it already has a slot, so that slot is
   *  returned. */
  #leave(resolve: () => void): void {
    if (this.#queue.includes(resolve)) this.#queue = this.#queue.filter(other => other !== resolve)
    else this.#giveBack()
  }

  #giveBack(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#inUse--
    else next()
  }
}

const exhausted = (size: number, withinMs: number) =>
  new Failure(
    'pool.exhausted',
    `All ${size} browser pages were in use for ${withinMs} ms; SCRAPER_BROWSER_POOL_SIZE allows more at a time`,
    { size, withinMs },
  )
