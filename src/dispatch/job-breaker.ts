// The breaker of one job. Too many failures pause the job. After the pause, a few probe tasks decide whether it continues.
import { SlidingWindow } from '../lib/collections/sliding-window.ts'
import { failures, isUnanswered } from '../model/failures.ts'
import type { BreakerState } from '../model/host.ts'
import type { JobBreakerPolicy } from '../model/policy/policy.ts'
import type { Reason } from '../model/task.ts'

/** While the breaker is half-open, this many tasks run at a time, and this many successes in a row close it. */
const probes = 3

/** Whether an ended task counts as a success (true) or failure (false) of the job. Null: the task does not count. Tasks of hosts
 *  that do not respond do not count, because only these hosts have a problem. `WasteGuard` counts walls. */
export function jobVerdict(reason: Reason): boolean | null {
  if (reason === 'ok' || reason === 'not-modified') return true
  if (reason === 'cached' || reason === 'host.unreachable' || isUnanswered(reason)) return null
  if (reason.startsWith('blocked.')) return null
  const rule = failures[reason]
  return rule.breaker || rule.charged ? false : null
}

export interface JobBreakerState {
  state: BreakerState
  consecutiveFailures: number
  recentTasks: number
  recentFailures: number
  openUntil: number | null
}

export class JobBreaker {
  readonly #policy: JobBreakerPolicy
  readonly #window: SlidingWindow
  /** Failures in a row. While the breaker is half-open: successes in a row. */
  #inARow = 0
  #isOpen = false
  #until = 0

  /** `openUntil` is the end of a pause that an earlier process began. */
  constructor(policy: JobBreakerPolicy, openUntil?: number) {
    this.#policy = policy
    this.#window = new SlidingWindow(policy.window)
    if (openUntil !== undefined) this.#open(openUntil)
  }

  /** When the pause of the job ends, in epoch ms; null while the breaker is closed. */
  get openUntil(): number | null {
    return this.#isOpen ? this.#until : null
  }

  state(now: number): BreakerState {
    if (!this.#isOpen) return 'closed'
    return now < this.#until ? 'open' : 'half_open'
  }

  summary(now: number): JobBreakerState {
    return {
      state: this.state(now),
      consecutiveFailures: this.#isOpen ? 0 : this.#inARow,
      recentTasks: this.#window.length,
      recentFailures: this.#window.failures,
      openUntil: this.openUntil,
    }
  }

  /** How many more tasks may start, with `inFlight` tasks running. */
  allowance(inFlight: number, now: number): number {
    const state = this.state(now)
    if (state === 'closed') return Number.POSITIVE_INFINITY
    return state === 'open' ? 0 : Math.max(0, probes - inFlight)
  }

  /** Counts one ended task (see `jobVerdict`). Tasks that end during the pause are ignored, because they started before it. */
  record(ok: boolean, now: number): void {
    const state = this.state(now)
    if (state === 'closed') this.#count(ok, now)
    else if (state === 'half_open') this.#judgeProbe(ok, now)
  }

  #count(ok: boolean, now: number): void {
    this.#window.push(!ok)
    this.#inARow = ok ? 0 : this.#inARow + 1
    if (!ok && this.#isTooMuch()) this.#open(now + this.#policy.cooldownMs)
  }

  #isTooMuch(): boolean {
    const { consecutive, minimum, ratio } = this.#policy
    if (this.#inARow >= consecutive) return true
    return this.#window.length >= minimum && this.#window.failures >= ratio * this.#window.length
  }

  #judgeProbe(ok: boolean, now: number): void {
    this.#inARow += 1
    if (!ok) this.#open(now + this.#policy.cooldownMs)
    else if (this.#inARow >= probes) this.#close()
  }

  #close(): void {
    this.#isOpen = false
    this.#inARow = 0
  }

  #open(until: number): void {
    this.#isOpen = true
    this.#until = until
    this.#inARow = 0
    this.#window.clear()
  }
}
