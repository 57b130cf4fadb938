// The limits of a job: what it has spent, how many more tasks may start, and which limit is reached.
import type { JobCounts } from '../model/job.ts'
import { type LimitName, type Limits, limitNames, type Prices } from '../model/policy/policy.ts'

/** The reason of a job that was paused at a limit. */
const limitReasons = {
  pages: 'limit.pages',
  bytes: 'limit.bytes',
  browserSeconds: 'limit.browser-seconds',
  money: 'limit.money',
} as const satisfies Record<LimitName, string>
export type LimitReason = (typeof limitReasons)[LimitName]

type Spending = Pick<JobCounts, 'pages' | 'bytes' | 'browserMs'>

/** How many attempts may start before the cost of an attempt is known. */
const firstTries = 4

/** What a job has spent, in the unit of each limit. */
export function spentOf({ pages, bytes, browserMs }: Spending, prices: Prices): Record<LimitName, number> {
  const browserSeconds = browserMs / 1_000
  const money = (bytes / 1e9) * prices.perGb + (browserSeconds / 3_600) * prices.perBrowserHour
  return { pages, bytes, browserSeconds, money }
}

/** The reason of the first limit that is reached; null if none is. */
export function limitReached(limits: Limits, prices: Prices, spending: Spending): LimitReason | null {
  const spent = spentOf(spending, prices)
  const name = limitNames.find(limit => spent[limit] >= (limits[limit] ?? Number.POSITIVE_INFINITY))
  return name ? limitReasons[name] : null
}

const noPrices: Prices = { perGb: 0, perBrowserHour: 0 }
const nothing: Spending = { pages: 0, bytes: 0, browserMs: 0 }

export class JobBudget {
  limits: Limits
  readonly #prices: Prices
  #spent: Spending
  /** Attempts in this process, to compute the average cost of an attempt. */
  #attempts = 0
  #cost: Spending = nothing

  /** Jobs of an old version have no `limits`. */
  constructor(policy: { limits?: Limits; prices?: Prices }, counts: Spending) {
    this.limits = policy.limits ?? {}
    this.#prices = policy.prices ?? noPrices
    this.#spent = spendingOf(counts)
  }

  /** Replaces the counts in memory with the stored counts. */
  recount(counts: Spending): void {
    this.#spent = spendingOf(counts)
  }

  /** Adds the cost of an ended attempt. */
  spend(cost: Spending): void {
    this.#attempts += 1
    this.#cost = sum(this.#cost, cost)
    this.#spent = sum(this.#spent, cost)
  }

  get spent(): Record<LimitName, number> {
    return spentOf(this.#spent, this.#prices)
  }

  get reached(): LimitReason | null {
    return limitReached(this.limits, this.#prices, this.#spent)
  }

  /** How many more tasks may start within the limits. Each of them, and each task in flight, counts with the average cost. */
  allowance(inFlight: number): number {
    if (limitNames.every(name => this.limits[name] === undefined)) return Number.POSITIVE_INFINITY
    const { spent } = this
    const cost = spentOf(this.#cost, this.#prices)
    const fitting = limitNames.map(name => this.#fitting(name, spent[name], cost[name]))
    return Math.min(...fitting) - inFlight
  }

  /** How many tasks fit into the rest of one limit. At least one, unless nothing is left. */
  #fitting(name: LimitName, spent: number, cost: number): number {
    const limit = this.limits[name]
    if (limit === undefined) return Number.POSITIVE_INFINITY
    const left = limit - spent
    if (left <= 0) return 0
    if (name === 'pages') return left
    if (this.#attempts === 0) return firstTries
    return cost === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((left * this.#attempts) / cost))
  }
}

const spendingOf = ({ pages, bytes, browserMs }: Spending): Spending => ({ pages, bytes, browserMs })

const sum = (a: Spending, b: Spending): Spending => ({
  pages: a.pages + b.pages,
  bytes: a.bytes + b.bytes,
  browserMs: a.browserMs + b.browserMs,
})
