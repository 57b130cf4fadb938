// The identities of a job: which one gets the next task, which ones rest, and which ones were blocked.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import type { IdentityPolicy } from '../../model/policy/proxy.ts'

export interface KnownIdentity {
  readonly id: string
  readonly proxy: string | null
  readonly bornAt: number
  uses: number
  /** Number of failures minus half the number of successes; at least 0. */
  score: number
  restsUntil: number
  /** Cookies as JSON, by host. */
  readonly cookies: RecentMap<string, string>
}

/** Each success reduces the score by this much. A failure raises it by 1. */
const relief = 0.5
/** Maximum number of resting identities. Above this number, the oldest are discarded. */
const mostResting = 1_000

/** Maximum number of hosts whose cookies are passed with an identity. Lanes store the cookies of further hosts
 *  themselves. */
const rememberedHosts = 100

export const newIdentity = (id: string, proxy: string | null, bornAt: number): KnownIdentity => ({
  ...{ id, proxy, bornAt, uses: 0, score: 0, restsUntil: 0 },
  cookies: new RecentMap(rememberedHosts),
})

/** Identities that take turns: the identities of one proxy, or all identities of a job if they keep their proxies. At most
 *  `most` identities are active, and the others rest. If fewer are active, rested or new identities join them. */
export class IdentityGroup {
  readonly #policy: IdentityPolicy
  readonly #most: number
  readonly #make: (at: number) => KnownIdentity | null
  #active: KnownIdentity[] = []
  #resting: KnownIdentity[] = []
  #turn = 0

  constructor(policy: IdentityPolicy, most: number, make: (at: number) => KnownIdentity | null) {
    this.#policy = policy
    this.#most = most
    this.#make = make
  }

  /** The next active identity, or a new one if fewer than `most` are active. Null if there is none and none can be
   *  created. */
  take(at: number, isFit: (identity: KnownIdentity) => boolean): KnownIdentity | null {
    this.#active = this.#active.filter(one => isFit(one) && !this.#isOld(one, at))
    this.#refill(at, isFit)
    const identity = this.#active[this.#turn++ % Math.max(1, this.#active.length)]
    if (!identity) return null
    identity.uses++
    if (identity.uses % this.#policy.usesBeforeRest === 0) this.#rest(identity, at)
    return identity
  }

  /** Lets the identity rest. The next `take` may create another identity in its place. */
  #rest(identity: KnownIdentity, at: number): void {
    identity.restsUntil = at + this.#policy.restMs
    if (this.#policy.restMs === 0) return
    this.#active = this.#active.filter(one => one !== identity)
    this.#resting = [...this.#resting, identity].slice(-mostResting)
  }

  #refill(at: number, isFit: (identity: KnownIdentity) => boolean): void {
    if (this.#active.length >= this.#most) return
    const rested = this.#resting.filter(one => one.restsUntil <= at)
    if (rested.length > 0) this.#resting = this.#resting.filter(one => one.restsUntil > at)
    for (const one of rested) if (isFit(one) && !this.#isOld(one, at)) this.#active.push(one)
    if (this.#active.length >= this.#most) return
    const made = this.#make(at)
    if (made) this.#active.push(made)
  }

  #isOld({ bornAt }: KnownIdentity, at: number): boolean {
    return at - bornAt >= this.#policy.maxAgeMs
  }

  succeeded(identity: KnownIdentity): void {
    identity.score = Math.max(0, identity.score - relief)
  }

  /** Counts a failure. Returns true if the identity has now failed too often. */
  failed(identity: KnownIdentity): boolean {
    identity.score += 1
    if (identity.score < this.#policy.maxFailures) return false
    this.retire(identity)
    return true
  }

  retire(identity: KnownIdentity): void {
    this.#active = this.#active.filter(one => one !== identity)
    this.#resting = this.#resting.filter(one => one !== identity)
  }
}
