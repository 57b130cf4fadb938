// The breaker of one host: closed, open after too many failures, then one probe decides.
import { SlidingWindow } from '../lib/sliding-window.ts'
import { type FailureCode, failures } from '../model/failures.ts'
import type { BreakerState } from '../model/host.ts'
import type { HostPolicy } from '../model/policy.ts'

type BreakerPolicy = HostPolicy['breaker']

/** Failures after a whole answer had come: the host is well, whatever we think of the page. */
const answered: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'http.client-error',
  'http.not-found',
  'body.undecodable',
  'body.too-large',
  'redirect.bad',
  'redirect.too-many',
  'content.unsupported',
  'scope.redirected-out',
  'duplicate.redirect',
  'duplicate.canonical',
  'duplicate.content',
  'scraper.failed',
  'extract.site-changed',
  'extract.wrong-page-kind',
  'regex.timeout',
])

/** What an outcome says about the host; `nothing` when the cause lies with us, or it only asked for patience. */
export type HostVerdict = 'well' | 'ill' | 'nothing'

export function hostVerdict(failure: FailureCode | undefined): HostVerdict {
  if (failure === undefined || answered.has(failure)) return 'well'
  return failures[failure].breaker ? 'ill' : 'nothing'
}

export class HostBreaker {
  #policy: BreakerPolicy
  /** Made at the first failure; until then every outcome was a success. */
  #window: SlidingWindow | null = null
  #isOpen = false
  #until = 0

  constructor(policy: BreakerPolicy) {
    this.#policy = policy
  }

  /** Other limits from now on; the outcomes that fit into the new window still count. */
  revise(policy: BreakerPolicy): void {
    this.#policy = policy
    if (this.#window !== null) this.#window = new SlidingWindow(policy.window, this.outcomes)
  }

  /** When it was open last, until when. */
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

  record(verdict: HostVerdict, startedAt: number, now: number): void {
    if (verdict === 'nothing') return
    if (this.#isOpen) this.#judgeProbe(verdict, startedAt, now)
    else this.#count(verdict === 'ill', now)
  }

  /** Requests from before the pause end late and prove nothing; only one sent after it is a probe. */
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
  }
}
