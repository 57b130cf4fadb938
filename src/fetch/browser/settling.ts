// Decides when a page is ready: it has content, and no requests, timers or changes are pending.
import type { Settled } from '../../model/policy/way.ts'
import type { PageActivity } from './cdp/settle-scripts.ts'

export type { Settled } from '../../model/policy/way.ts'

/** Time without activity after which a page counts as settled. */
const restMs = 100
/** Like `restMs`, for pages whose timers are not tracked. It is longer, because a script may still run. */
const blindRestMs = 500
/** Once a page has content, requests that take longer than this count as streams or long polls. */
const longRequestMs = 5_000
/** Longest time for which clocks, tickers, polling loops and ads delay a page that has content. Script requests may
 *  delay it longer. */
const restlessMs = 3_000
/** A page that adds content in steps is settled when the next step is overdue by this factor. */
const overdueSteps = 3
/** Longest interval between two changes that count as steps. */
const longestStepMs = 400
/** After this many such intervals in a row, a page counts as adding content in steps. */
const fewestSteps = 3

export interface SettleLimits {
  /** Longest wait for content, in ms. */
  settleMs: number
  /** Minimum time without activity in ms, if the caller needs more than the default. */
  restMs?: number
  /** True if timers and requests of scripts are not tracked (stealth). */
  isBlind?: boolean
}

/** Network activity as seen by the browser. */
export interface NetworkActivity {
  inFlight: number
  /** A counter that changes when a request starts, receives data or ends. */
  activity: number
  /** True if the load event has fired: images, frames and style sheets have loaded. */
  isLoaded?: boolean
}

/** Decides from repeated samples of the page. All times are in ms, from the same clock. */
export class Settling {
  readonly #limits: SettleLimits
  readonly #startedAt: number
  #shape = ''
  #changedAt: number
  /** Times between the last changes, if the page adds content in steps. */
  #stepsMs: number[] = []
  #busyAt: number
  #activity = -1
  /** The time from which only timers or changes have delayed the page. Null while a request delays it. */
  #restlessSince: number | null = null
  #waitedForContent = false

  constructor(limits: SettleLimits, now: number) {
    this.#limits = limits
    this.#startedAt = now
    this.#changedAt = now
    this.#busyAt = now
  }

  look(page: PageActivity, network: NetworkActivity, now: number): Settled | null {
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
    { inFlight, activity }: NetworkActivity,
    now: number,
  ): void {
    const isBusy = timers > 0 || requests.length > 0 || inFlight > 0
    const isFirst = this.#shape === ''
    if (shape !== this.#shape) {
      this.#shape = shape
      this.#noticeStep(now - this.#changedAt, isFirst)
      this.#changedAt = now
    }
    if (isBusy || activity !== this.#activity) this.#busyAt = now
    this.#activity = activity
  }

  #isAtRest({ timers, requests }: PageActivity, network: NetworkActivity, now: number): boolean {
    const { inFlight, isLoaded = true } = network
    const { restMs: asked = restMs, isBlind = false } = this.#limits
    const leastMs = Math.max(asked, this.#stepRestMs, isBlind ? blindRestMs : 0)
    if (!isLoaded || timers > 0 || requests.length > 0 || inFlight > 0) return false
    return now - Math.max(this.#changedAt, this.#busyAt) >= leastMs
  }

  /** True if no request is in flight that can still add content, and for `restlessMs` either none was in flight or the
   *  page did not change. */
  #isOnlyRestless({ requests }: PageActivity, { inFlight }: NetworkActivity, now: number): boolean {
    const isLoading =
      requests.some(age => age < longRequestMs) ||
      (inFlight > requests.length && now - this.#startedAt < restlessMs)
    if (isLoading) this.#restlessSince = null
    else this.#restlessSince ??= now
    if (this.#restlessSince === null) return false
    return now - Math.min(this.#restlessSince, this.#changedAt) >= restlessMs
  }

  get #stepRestMs(): number {
    return this.#stepsMs.length < fewestSteps ? 0 : overdueSteps * Math.max(...this.#stepsMs)
  }

  #noticeStep(ms: number, isFirst: boolean): void {
    const isStep = !isFirst && ms <= longestStepMs
    this.#stepsMs = isStep ? [...this.#stepsMs.slice(1 - fewestSteps), ms] : []
  }
}
