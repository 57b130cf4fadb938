// When a page counts as ready: nothing under way, nothing pending, nothing changing, and something to read.
import type { Settled } from '../../model/policy/way.ts'
import type { PageActivity } from './cdp/settle-scripts.ts'

export type { Settled } from '../../model/policy/way.ts'

/** How long nothing may happen until a page counts as at rest. */
const restMs = 100
/** The same where timers cannot be seen: a script may yet wake up. */
const blindRestMs = 500
/** With content on the page, a request that takes longer than this is a stream or a long poll. */
const longRequestMs = 5_000
/** With content on the page, nothing but requests of scripts holds it up for longer: clocks, tickers, polling loops, ads. */
const restlessMs = 3_000
/** A page that fills itself in steps is at rest when the next step is this many times overdue. */
const overdueSteps = 3
/** Longer pauses between changes are no steps. */
const longestStepMs = 400
/** So many changes in a row are steps. */
const fewestSteps = 3

export interface SettleLimits {
  /** Longest wait for content. */
  settleMs: number
  /** Least rest, where the caller asks for more. */
  restMs?: number
  /** Timers and requests of scripts are not tracked (stealth). */
  isBlind?: boolean
}

/** What the browser itself has under way. */
export interface NetworkActivity {
  inFlight: number
  /** Changes with whatever happens in the network. */
  activity: number
  /** The load event has fired: images, frames and style sheets are there. */
  isLoaded?: boolean
}

/** Decides from one look at the page after another. Times are in ms, of one clock. */
export class Settling {
  readonly #limits: SettleLimits
  readonly #startedAt: number
  #shape = ''
  #changedAt: number
  /** How long the last steps took, where the page changed several times. */
  #stepsMs: number[] = []
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

  /** Nothing is under way that could still bring content. */
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
