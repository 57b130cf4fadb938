// The waste guard of a job: stops it if most of its recent tasks ended at walls.
import { SlidingWindow } from '../lib/collections/sliding-window.ts'
import { type WasteGuardPolicy, wasteGuard } from '../model/policy/policy.ts'
import type { Reason } from '../model/task.ts'

/** A captcha, login, consent page or refusal: a response, but not the content. */
const isWasted = (reason: Reason): boolean => reason.startsWith('blocked.')

export class WasteGuard {
  readonly #policy: WasteGuardPolicy
  readonly #window: SlidingWindow

  /** Old jobs have no such policy. */
  constructor(policy: WasteGuardPolicy = wasteGuard.parse({})) {
    this.#policy = policy
    this.#window = new SlidingWindow(policy.window)
  }

  /** A task has ended, well or not. */
  record(reason: Reason): void {
    this.#window.push(isWasted(reason))
  }

  /** Decides only with a full window, because a few walls at the start say little. */
  get isTripped(): boolean {
    const { window, share } = this.#policy
    return this.#window.length >= window && this.#window.failures > share * window
  }

  /** How many more may start: after walls, only as many as needed for the decision. */
  allowance(inFlight: number): number {
    if (this.isTripped) return 0
    const { length, failures } = this.#window
    return failures * 4 < length || failures === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(1, this.#policy.window - length) - inFlight
  }

  /** A person checked the job and resumed it. */
  reset(): void {
    this.#window.clear()
  }

  get wasted(): number {
    return this.#window.failures
  }
}
