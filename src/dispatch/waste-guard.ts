// The waste guard of a job: stops the job if too many of its recent tasks ended at walls.
import { SlidingWindow } from '../lib/collections/sliding-window.ts'
import { type WasteGuardPolicy, wasteGuard } from '../model/policy/policy.ts'
import type { Reason } from '../model/task.ts'

/** Whether the task ended at a wall: a captcha, login, consent page or refusal. */
const isWasted = (reason: Reason): boolean => reason.startsWith('blocked.')

export class WasteGuard {
  readonly #policy: WasteGuardPolicy
  readonly #window: SlidingWindow

  /** Jobs of an old version have no such policy; they use the default. */
  constructor(policy: WasteGuardPolicy = wasteGuard.parse({})) {
    this.#policy = policy
    this.#window = new SlidingWindow(policy.window)
  }

  /** Counts an ended task. */
  record(reason: Reason): void {
    this.#window.push(isWasted(reason))
  }

  /** Whether the job must stop. The window must be full, because a few walls at the start say little. */
  get isTripped(): boolean {
    const { window, share } = this.#policy
    return this.#window.length >= window && this.#window.failures > share * window
  }

  /** How many more tasks may start. There is no limit while less than a quarter of the recent tasks ended at walls.
   *  Otherwise only enough tasks start to fill the window. */
  allowance(inFlight: number): number {
    if (this.isTripped) return 0
    const { length, failures } = this.#window
    return failures * 4 < length || failures === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(1, this.#policy.window - length) - inFlight
  }

  /** Clears the counts. Call this when a person has resumed the job. */
  reset(): void {
    this.#window.clear()
  }

  get wasted(): number {
    return this.#window.failures
  }
}
