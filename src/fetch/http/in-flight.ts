// Limits the number of requests in flight, for all users of this object together. Further requests wait in order. A
// request that waits for a host's slot does not count, so slow hosts do not block others.
import { offAbort, onAbort } from '../../lib/abort-handlers.ts'
import type { Exchange } from './exchange.ts'

export class InFlight {
  #most = Number.POSITIVE_INFINITY
  #count = 0
  readonly #waiting = new Set<() => void>()

  /** The limit. May change at any time; requests above a lowered limit continue. */
  set most(most: number) {
    this.#most = most
    this.#admit()
  }

  get isFull(): boolean {
    return this.#count >= this.#most
  }

  /** True if more requests are in flight than the limit allows, because the limit was lowered. */
  get isAbove(): boolean {
    return this.#count > this.#most
  }

  /** Takes a place if one is free. Never waits. */
  tryEnter(): boolean {
    if (this.isFull) return false
    this.#count += 1
    return true
  }

  /** Resolves when a place is taken. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    if (!this.tryEnter()) await this.#turn(signal)
  }

  leave(): void {
    this.#count -= 1
    this.#admit()
  }

  /** Gives free places to waiting requests in order, so that new requests do not overtake them. */
  #admit(): void {
    for (const enter of this.#waiting) {
      if (this.isFull) return
      this.#waiting.delete(enter)
      this.#count += 1
      enter()
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      this.#waiting.delete(resolve)
      reject(signal.reason)
    }
    this.#waiting.add(resolve)
    onAbort(signal, giveUp)
    await promise.finally(() => offAbort(signal, giveUp))
  }
}

/** A fetch layer that takes a place for each request. The wait for a place extends the total timeout, because the host
 *  does not cause it. */
export const within =
  (inFlight: InFlight, exchange: Exchange): Exchange =>
  async (request, signal) => {
    const waitedMs = inFlight.tryEnter() ? 0 : await waitForPlace(inFlight, signal)
    const deadlineAt = request.deadlineAt === 0 ? 0 : request.deadlineAt + waitedMs
    try {
      return await exchange(waitedMs > 0 ? { ...request, deadlineAt } : request, signal)
    } finally {
      inFlight.leave()
    }
  }

async function waitForPlace(inFlight: InFlight, signal: AbortSignal): Promise<number> {
  const askedAt = Date.now()
  await inFlight.enter(signal)
  return Date.now() - askedAt
}
