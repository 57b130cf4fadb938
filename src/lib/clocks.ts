// The system clock, and a fake clock for tests.
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../ports/clock.ts'

/** Monotonic since the start of the process, so that a change of the machine's clock moves no lease or deadline. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
}

/** The time of day of the machine, which may jump. Used for times that people set, such as schedules. */
export const wallClock: Clock = { now: () => Date.now(), sleep: systemClock.sleep }

interface Sleeper {
  at: number
  wake: () => void
}

/** A clock for tests. Its time changes only when `advance` is called. */
export class FakeClock implements Clock {
  #now: number
  #sleepers: Sleeper[] = []

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (signal?.aborted) return Promise.reject(signal.reason)
    this.#sleepers.push({ at: this.#now + ms, wake: resolve })
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    return promise
  }

  advance(ms: number): void {
    this.#now += ms
    const due = this.#sleepers.filter(sleeper => sleeper.at <= this.#now).sort((a, b) => a.at - b.at)
    this.#sleepers = this.#sleepers.filter(sleeper => sleeper.at > this.#now)
    for (const sleeper of due) sleeper.wake()
  }
}
