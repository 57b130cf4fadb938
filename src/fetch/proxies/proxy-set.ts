// A set of proxies with their health. Chooses the next proxy, and lets a proxy rest after each use for a host.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import { hashOf } from '../../lib/text/string-hash.ts'
import type { FailureJson } from '../../model/failures.ts'
import type { ProxyRotation, ProxyState } from '../../model/policy/proxy.ts'
import type { ProxyEndpoint } from './endpoint.ts'

/** The chosen proxy. `until`: the time (epoch ms) when the next healthy proxy has rested. `none`: all proxies are
 *  unhealthy. */
type Choice = { proxy: ProxyEndpoint } | { until: number } | 'none'

interface ChoiceOptions {
  host: string
  at: number
  rotation: ProxyRotation
  restMs: number
}

interface Entry {
  readonly endpoint: ProxyEndpoint
  isHealthy: boolean
  successes: number
  failures: number
  trouble: string | null
  since: number | null
  /** Number of consecutive failures per host for which the proxy or the host may be responsible. */
  doubts: Map<string, number>
  /** Start of the earliest attempt in `doubts`, in epoch ms. */
  doubtedSince: number
  /** The `host:port` of the last failed request through the proxy. The next check opens a tunnel to it. */
  lastTarget: string | null
  /** Number of consecutive checks that reached the proxy but not the target. */
  doubtfulChecks: number
}

/** A failure is doubtful if the proxy or the target may have caused it. After this many in a row, `isBeyondDoubt`
 *  decides whether the proxy is unhealthy. After this many doubtful checks in a row, a proxy is healthy again. */
const mostDoubts = 3
const rememberedRests = 200_000
const rememberedHosts = 10_000

export class ProxySet {
  readonly #entries: Entry[]
  readonly #byName = new Map<string, Entry>()
  readonly #random: () => number
  /** Time (epoch ms) until which a proxy is not used for a host, by proxy name and host. */
  readonly #rests = new RecentMap<string, number>(rememberedRests)
  /** When a host last responded, and through which proxy, by host. */
  readonly #answered = new RecentMap<string, { at: number; name: string }>(rememberedHosts)
  #last = -1
  /** When to check unhealthy proxies next, in epoch ms. Null if all are healthy. */
  nextCheckAt: number | null = null

  constructor(endpoints: readonly ProxyEndpoint[], random: () => number = Math.random) {
    this.#random = random
    this.#entries = endpoints.map(endpoint => ({
      endpoint,
      isHealthy: true,
      successes: 0,
      failures: 0,
      trouble: null,
      since: null,
      doubts: new Map(),
      doubtedSince: 0,
      lastTarget: null,
      doubtfulChecks: 0,
    }))
    for (const entry of this.#entries) this.#byName.set(entry.endpoint.name, entry)
  }

  get size(): number {
    return this.#entries.length
  }

  get healthy(): number {
    return this.#entries.reduce((sum, { isHealthy }) => sum + (isHealthy ? 1 : 0), 0)
  }

  get states(): ProxyState[] {
    return this.#entries.map(
      ({ endpoint: { name, source }, isHealthy, successes, failures, trouble, since }) => ({
        ...{ name, source, isHealthy, successes, failures, trouble, since },
      }),
    )
  }

  get(name: string): ProxyEndpoint | undefined {
    return this.#byName.get(name)?.endpoint
  }

  isHealthy(name: string): boolean {
    return this.#byName.get(name)?.isHealthy ?? false
  }

  /** The time when a proxy is available for this host. Null if all are unhealthy. Does not take a proxy. */
  readyAt(host: string, at: number): number | null {
    let earliest: number | null = null
    for (const { isHealthy, endpoint } of this.#entries) {
      if (!isHealthy) continue
      const rested = Math.max(at, this.#restOf(endpoint, host))
      if (rested === at) return at
      earliest = earliest === null ? rested : Math.min(earliest, rested)
    }
    return earliest
  }

  /** Chooses the next healthy proxy that does not rest for this host. From now on it rests for `restMs`. */
  choose(options: ChoiceOptions): Choice {
    const { host, at, rotation } = options
    const ready = this.readyAt(host, at)
    if (ready === null) return 'none'
    if (ready > at) return { until: ready }
    const index = rotation === 'random' ? this.#atRandom(host, at) : this.#next(host, at)
    this.#last = index
    const { endpoint } = this.#entries[index]!
    this.#rest(endpoint, host, at + options.restMs)
    return { proxy: endpoint }
  }

  /** Chooses a proxy for an identity that keeps it. Prefers a proxy that has rested. A session gets the same proxy as
   *  long as that proxy is healthy. */
  chooseKept(options: ChoiceOptions, session: string | null): Choice {
    const healthy = this.#entries.filter(({ isHealthy }) => isHealthy)
    if (healthy.length === 0) return 'none'
    if (session !== null) return { proxy: nearest(healthy, session).endpoint }
    const choice = this.choose(options)
    if (choice === 'none' || 'proxy' in choice) return choice
    const index = this.#entries.indexOf(healthy[(this.#last + 1) % healthy.length]!)
    this.#last = index
    return { proxy: this.#entries[index]!.endpoint }
  }

  /** Makes a proxy available for the host again. Call this if the proxy was chosen but not used. */
  giveBack(name: string, host: string): void {
    this.#rests.delete(restKey(name, host))
  }

  succeeded(name: string, host: string, now: number): void {
    const entry = this.#byName.get(name)
    if (!entry) return
    entry.successes++
    entry.doubts.clear()
    this.#answered.set(host, { at: now, name })
  }

  /** Records a failure; `target` is `host:port`. Returns true if the host is not at fault: it has responded through
   *  another proxy since the first of the consecutive failures of this proxy. */
  failed(
    name: string,
    host: string,
    failure: FailureJson,
    now: number,
    { target = null, startedAt = now }: { target?: string | null; startedAt?: number } = {},
  ): boolean {
    const entry = this.#byName.get(name)
    if (!entry) return false
    entry.failures++
    if (failure.details?.blames === 'rule') return false
    entry.lastTarget = target ?? entry.lastTarget
    this.#doubt(entry, host, startedAt)
    const isCleared = this.#answeredOthers(entry, host)
    if (failure.details?.blames === 'proxy' || isBeyondDoubt(entry, isCleared))
      setUnhealthy(entry, failure.code, now)
    return isCleared
  }

  #doubt(entry: Entry, host: string, startedAt: number): void {
    // Use the earlier start, because attempts may end out of order.
    entry.doubtedSince = entry.doubts.size === 0 ? startedAt : Math.min(entry.doubtedSince, startedAt)
    entry.doubts.set(host, (entry.doubts.get(host) ?? 0) + 1)
  }

  #answeredOthers({ endpoint, doubtedSince }: Entry, host: string): boolean {
    const answered = this.#answered.get(host)
    return answered !== undefined && answered.name !== endpoint.name && answered.at >= doubtedSince
  }

  /** Stores the result of a check. After several doubtful checks the proxy counts as healthy again, because the target
   *  may be down. */
  checked(
    name: string,
    { trouble, isDoubtful }: { trouble: string | null; isDoubtful: boolean },
    now: number,
  ): void {
    const entry = this.#byName.get(name)
    if (!entry) return
    entry.doubtfulChecks = isDoubtful ? entry.doubtfulChecks + 1 : 0
    if (trouble === null || entry.doubtfulChecks >= mostDoubts) Object.assign(entry, wellAgain())
    else setUnhealthy(entry, trouble, entry.since ?? now)
  }

  /** Unhealthy proxies, each with the `host:port` to check. */
  get unhealthy(): Array<{ endpoint: ProxyEndpoint; target: string | null }> {
    return this.#entries
      .filter(({ isHealthy }) => !isHealthy)
      .map(({ endpoint, lastTarget }) => ({ endpoint, target: lastTarget }))
  }

  #next(host: string, at: number): number {
    const { length } = this.#entries
    for (let step = 1; step <= length; step++) {
      const index = (this.#last + step) % length
      if (this.#isReady(this.#entries[index]!, host, at)) return index
    }
    return 0
  }

  #atRandom(host: string, at: number): number {
    const ready = this.#entries.flatMap((entry, index) => (this.#isReady(entry, host, at) ? [index] : []))
    return ready[Math.floor(this.#random() * ready.length)] ?? 0
  }

  #isReady({ isHealthy, endpoint }: Entry, host: string, at: number): boolean {
    return isHealthy && this.#restOf(endpoint, host) <= at
  }

  #restOf({ name, hasManyExits }: ProxyEndpoint, host: string): number {
    return hasManyExits ? 0 : (this.#rests.get(restKey(name, host)) ?? 0)
  }

  #rest({ name, hasManyExits }: ProxyEndpoint, host: string, until: number): void {
    if (!hasManyExits) this.#rests.set(restKey(name, host), until)
  }
}

const wellAgain = () => ({
  isHealthy: true,
  trouble: null,
  since: null,
  doubts: new Map(),
  doubtfulChecks: 0,
})

/** True if the proxy must be at fault: it has at least `mostDoubts` failures in a row, and several hosts failed or the
 *  host responds through another proxy. */
function isBeyondDoubt({ doubts }: Entry, hostIsCleared: boolean): boolean {
  const all = doubts.values().reduce((sum, count) => sum + count, 0)
  return all >= mostDoubts && (doubts.size > 1 || hostIsCleared)
}

const restKey = (name: string, host: string): string => `${name} ${host}`

function setUnhealthy(entry: Entry, trouble: string, since: number): void {
  Object.assign(entry, { isHealthy: false, trouble, since })
}

/** Chooses by rendezvous hashing. So if a proxy becomes unhealthy, only the sessions of this proxy move to another. */
const nearest = (entries: Entry[], session: string): Entry =>
  entries.reduce((best, entry) => (weight(entry, session) > weight(best, session) ? entry : best))

const weight = ({ endpoint }: Entry, session: string): number => hashOf(`${session} ${endpoint.name}`)
