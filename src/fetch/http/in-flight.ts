// Requests in flight, over all that share this: no more at a time than `most`, the rest in the order of asking. Who waits for its turn at a
// host has not asked yet, so slow hosts keep nobody out.
import type { Exchange } from './exchange.ts'

export class InFlight {
  #most = Number.POSITIVE_INFINITY
  #count = 0
  readonly #waiting = new Set<() => void>()

  /** May be changed at any time; what is under way beyond a lower one goes on. */
  set most(most: number) {
    this.#most = most
    this.#admit()
  }

  get isFull(): boolean {
    return this.#count >= this.#most
  }

  /** Resolves when there is room, which is then taken; rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.isFull) await this.#turn(signal)
    else this.#count += 1
  }

  leave(): void {
    this.#count -= 1
    this.#admit()
  }

  /** Room is handed on, so that nobody who comes later is quicker. */
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
    signal.addEventListener('abort', giveUp, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', giveUp))
  }
}

/** Waiting for room is none of the host's slowness: it does not count against the whole. */
export const within =
  (inFlight: InFlight, exchange: Exchange): Exchange =>
  async (request, signal) => {
    const askedAt = inFlight.isFull ? Date.now() : null
    await inFlight.enter(signal)
    const waitedMs = askedAt === null ? 0 : Date.now() - askedAt
    const deadlineAt = request.deadlineAt === 0 ? 0 : request.deadlineAt + waitedMs
    try {
      return await exchange(waitedMs > 0 ? { ...request, deadlineAt } : request, signal)
    } finally {
      inFlight.leave()
    }
  }
