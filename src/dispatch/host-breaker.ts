// The breaker of one host: closed, open after too many failures, then half-open for one probe.
import { SlidingWindow } from '../lib/collections/sliding-window.ts'
import { type FailureCode, failures } from '../model/failures.ts'
import type { BreakerState } from '../model/host.ts'
import type { HostPolicy } from '../model/policy/policy.ts'

type BreakerPolicy = HostPolicy['breaker']

/** Failures with a response. The response shows that the host works, even if the page itself is useless or refused. */
const answered: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'http.client-error',
  'http.not-found',
  'body.undecodable',
  'body.too-large',
  'redirect.bad',
  'redirect.too-many',
  'content.unsupported',
  'content.unreadable',
  'scope.redirected-out',
  'sitemap.missing',
  'duplicate.redirect',
  'duplicate.canonical',
  'duplicate.content',
  'scraper.failed',
  'extract.site-changed',
  'extract.wrong-page-kind',
  'regex.timeout',
  'page.soft-not-found',
  'blocked.captcha',
  'blocked.login',
  'blocked.consent',
  'blocked.refused',
])

/** Whether the failure shows that the host is reachable: it sent a status, a page or a Retry-After. */
export const saysThatItAnswered = (failure: FailureCode): boolean =>
  answered.has(failure) ||
  failure.startsWith('http.') ||
  failure === 'host.throttled' ||
  failure === 'host.unavailable'

/** What an outcome says about the host. `nothing`: the cause is on our side, or the host only asked for a delay. */
type HostVerdict = 'well' | 'ill' | 'nothing'

export function hostVerdict(failure: FailureCode | undefined): HostVerdict {
  if (failure === undefined || answered.has(failure)) return 'well'
  return failures[failure].breaker ? 'ill' : 'nothing'
}

export class HostBreaker {
  #policy: BreakerPolicy
  /** The recent outcomes; null while they contain no failure. */
  #window: SlidingWindow | null = null
  /** Pages whose failure was counted. A retry of the same page is not counted again, because it says nothing new about the host. */
  readonly #failedPages = new Set<string>()
  #isOpen = false
  #until = 0

  constructor(policy: BreakerPolicy) {
    this.#policy = policy
  }

  /** Applies new limits. Outcomes that fit into the new window still count. */
  revise(policy: BreakerPolicy): void {
    this.#policy = policy
    if (this.#window !== null) this.#window = new SlidingWindow(policy.window, this.outcomes)
  }

  /** When the last open period of the breaker ends or ended, in epoch ms. */
  get until(): number {
    return this.#until
  }

  get isClosed(): boolean {
    return !this.#isOpen
  }

  get outcomes(): number[] {
    return this.#window?.toArray() ?? []
  }

  state(now: number): BreakerState {
    if (!this.#isOpen) return 'closed'
    return now < this.#until ? 'open' : 'half_open'
  }

  restore(state: BreakerState, until: number, outcomes: readonly number[]): void {
    this.#isOpen = state !== 'closed'
    this.#until = until
    this.#window = outcomes.length > 0 ? new SlidingWindow(this.#policy.window, outcomes) : null
  }

  /** Records an outcome. `page` identifies the requested page; if undefined, every failure counts. */
  record(verdict: HostVerdict, startedAt: number, now: number, page?: string): void {
    if (verdict === 'nothing') return
    if (this.#isOpen) this.#judgeProbe(verdict, startedAt, now)
    else if (page === undefined || this.#isNews(verdict, page)) this.#count(verdict === 'ill', now)
  }

  #isNews(verdict: HostVerdict, page: string): boolean {
    const hadFailed = this.#failedPages.delete(page)
    if (verdict === 'well') return true
    this.#failedPages.add(page)
    if (this.#failedPages.size > this.#policy.window)
      this.#failedPages.delete(this.#failedPages.values().next().value!)
    return !hadFailed
  }

  /** Decides with the outcome of a probe. Requests that were sent before the pause ended are not probes and are ignored. */
  #judgeProbe(verdict: HostVerdict, startedAt: number, now: number): void {
    if (startedAt < this.#until) return
    this.#isOpen = false
    if (verdict === 'ill') this.#open(now)
  }

  #count(failed: boolean, now: number): void {
    if (!failed && this.#window === null) return
    this.#window ??= new SlidingWindow(this.#policy.window)
    this.#window.push(failed)
    if (this.#window.failures >= Math.min(this.#policy.failures, this.#policy.window)) this.#open(now)
    else if (this.#window.failures === 0) this.#window = null
  }

  #open(now: number): void {
    this.#isOpen = true
    this.#until = now + this.#policy.cooldownMs
    this.#window = null
    this.#failedPages.clear()
  }
}
