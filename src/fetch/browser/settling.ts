// When a page counts as ready: nothing under way, nothing pending, nothing changing, and something to read.
import type { Settled } from '../../model/way.ts'
import type { PageActivity } from './cdp/settle-scripts.ts'

export type { Settled } from '../../model/way.ts'

/** How long nothing may happen until a page counts as at rest. */
const restMs = 100
/** The same where timers cannot be seen: a script may yet wake up. */
const blindRestMs = 500
/** With content on the page, a request that takes longer than this is a stream or a long poll. */
const longRequestMs = 5_000
/** With content on the page, timers and changes alone do not hold it up for longer: clocks, tickers, polling loops. */
const restlessMs = 3_000

export interface SettleLimits {
  /** Longest wait for content. */
  settleMs: number
  /** Least rest, where the caller asks for more. */
  restMs?: number
  /** Timers and requests of scripts are not tracked (stealth). */
  isBlind?: boolean
}

/** Decides from one look at the page after another. Times are in ms, of one clock. */
export class Settling {
  readonly #limits: SettleLimits
  readonly #startedAt: number
  #shape = ''
  #changedAt: number
  #busyAt: number
  #activity = -1
  /** Since when only timers or changes of the page kept it from being at rest. */
  #restlessSince: number | null = null
  #waitedForContent = false

  constructor(limits: SettleLimits, now: number) {
    this.#limits = limits
    this.#startedAt = now
    this.#changedAt = now
    this.#busyAt = now
  }

  /** `network`: requests that the browser has under way, and a number that changes with whatever happens there. */
  look(page: PageActivity, network: { inFlight: number; activity: number }, now: number): Settled | null {
    const hasContent = !page.isEmpty && !page.isLoading && page.missing === 0
    if (hasContent) page = { ...page, requests: page.requests.filter(age => age < longRequestMs) }
    this.#notice(page, network, now)
    const isAtRest = this.#isAtRest(page, network, now)
    if (hasContent && (isAtRest || this.#isOnlyRestless(page, network, now)))
      return this.#waitedForContent ? 'content' : 'quiet'
    if (now - this.#startedAt >= this.#limits.settleMs) return 'deadline'
    if (isAtRest && !hasContent) this.#waitedForContent = true
    return null
  }

  #notice(
    { shape, timers, requests }: PageActivity,
    { inFlight, activity }: { inFlight: number; activity: number },
    now: number,
  ): void {
    const isBusy = timers > 0 || requests.length > 0 || inFlight > 0
    if (shape !== this.#shape) {
      this.#shape = shape
      this.#changedAt = now
    }
    if (isBusy || activity !== this.#activity) this.#busyAt = now
    this.#activity = activity
  }

  #isAtRest({ timers, requests }: PageActivity, { inFlight }: { inFlight: number }, now: number): boolean {
    const { restMs: asked = restMs, isBlind = false } = this.#limits
    const leastMs = isBlind ? Math.max(asked, blindRestMs) : asked
    if (timers > 0 || requests.length > 0 || inFlight > 0) return false
    return now - Math.max(this.#changedAt, this.#busyAt) >= leastMs
  }

  /** Nothing is under way that could still bring content. */
  #isOnlyRestless({ requests }: PageActivity, { inFlight }: { inFlight: number }, now: number): boolean {
    const isLoading =
      requests.some(age => age < longRequestMs) ||
      (inFlight > requests.length && now - this.#startedAt < longRequestMs)
    if (isLoading) this.#restlessSince = null
    else this.#restlessSince ??= now
    return this.#restlessSince !== null && now - this.#restlessSince >= restlessMs
  }
}
