// The waste guard of a job: most of its last tasks ended at walls, so going on would only spend.
import { SlidingWindow } from '../lib/collections/sliding-window.ts'
import { type WasteGuardPolicy, wasteGuard } from '../model/policy/policy.ts'
import type { Reason } from '../model/task.ts'

/** A captcha, a login, a consent page or a refusal: something came back, and it is not what was asked for. */
export const isWasted = (reason: Reason): boolean => reason.startsWith('blocked.')

export class WasteGuard {
  readonly #policy: WasteGuardPolicy
  readonly #window: SlidingWindow

  /** A job from before there was one has no word on it. */
  constructor(policy: WasteGuardPolicy = wasteGuard.parse({})) {
    this.#policy = policy
    this.#window = new SlidingWindow(policy.window)
  }

  /** A task has ended, well or not. */
  record(reason: Reason): void {
    this.#window.push(isWasted(reason))
  }

  /** Judged once the window is full: a few walls at the beginning say little. */
  get isTripped(): boolean {
    const { window, share } = this.#policy
    return this.#window.length >= window && this.#window.failures > share * window
  }

  /** How many more may start: where walls are seen, not more than it takes to judge them. */
  allowance(inFlight: number): number {
    if (this.isTripped) return 0
    const { length, failures } = this.#window
    return failures * 4 < length || failures === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(1, this.#policy.window - length) - inFlight
  }

  /** Someone looked at it and said to go on. */
  reset(): void {
    this.#window.clear()
  }

  get wasted(): number {
    return this.#window.failures
  }
}
