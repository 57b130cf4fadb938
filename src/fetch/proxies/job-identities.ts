// Chooses the identity and proxy of each task of a job. Records outcomes, to exclude blocked identities and failing
// proxies.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import { Failure, type FailureJson } from '../../model/failures.ts'
import {
  type IdentityPolicy,
  type ProxyPolicy,
  type TaskIdentity,
  withJobUrls,
} from '../../model/policy/proxy.ts'
import { IdentityGroup, type KnownIdentity, newIdentity } from './identities.ts'
import type { ProxySet } from './proxy-set.ts'

export interface JobIdentitiesOptions {
  proxy: ProxyPolicy
  identity: IdentityPolicy
  /** Null means direct connections. */
  proxySet: ProxySet | null
  /** Name of the session, or null. A job with a named session has exactly one identity. */
  session: string | null
  /** True if the proxy policy differs from that of the job. Each `TaskIdentity` then contains the policy. */
  isOther?: boolean
  /** Whether tasks fail at once if no proxy is healthy. Otherwise they wait. */
  tellsAtOnce?: boolean
  newId: () => string
}

/** The outcome of an attempt, as far as it concerns the identity. */
interface VisitFacts {
  failure: FailureJson | null
  /** Start of the attempt in epoch ms. Default: now. */
  startedAt?: number
  /** The cookies of the identity as JSON. Missing if they did not change. */
  cookies?: string
}

/** Default number of sessions on a gateway with many exits. */
const usualExits = 10
const mostPerProxy = 1_000
const rememberedIdentities = 20_000
/** Interval at which a job checks for a healthy proxy. Its tasks wait meanwhile. */
const lookAgainMs = 1_000

export class JobIdentities {
  readonly #options: JobIdentitiesOptions
  readonly #groups = new Map<string, IdentityGroup>()
  readonly #known = new RecentMap<string, { identity: KnownIdentity; group: IdentityGroup }>(
    rememberedIdentities,
  )

  /** The id of the identity that started a task, by task number. */
  readonly #begun = new RecentMap<number, string>(rememberedIdentities)

  constructor(options: JobIdentitiesOptions) {
    this.#options = options
  }

  get proxySet(): ProxySet | null {
    return this.#options.proxySet
  }

  get noneHealthy(): boolean {
    return this.#options.proxySet?.healthy === 0
  }

  /** The earliest time for a request to this host, considering only the proxies. */
  readyAt(host: string, at: number): number {
    const { proxySet, tellsAtOnce } = this.#options
    if (!proxySet) return at
    if (proxySet.healthy === 0) return tellsAtOnce ? at : at + lookAgainMs
    return this.#isKept ? at : (proxySet.readyAt(host, at) ?? at)
  }

  /** The identity for the next task of this host. Null if no proxy is healthy, or if all healthy proxies rest. */
  take(host: string, at: number): TaskIdentity | null {
    const found =
      this.#isKept || !this.#options.proxySet ? this.#takeKept(host, at) : this.#takeTurn(host, at)
    return found && this.#taskIdentityOf(found, host)
  }

  /** The identity that started the task, for its continuation in the other fetch mode. Null if the identity is not
   *  known or its proxy is unhealthy. */
  takeAgain(n: number, host: string): TaskIdentity | null {
    const id = this.#begun.get(n)
    const known = id === undefined ? undefined : this.#known.get(id)
    this.#begun.delete(n)
    if (!known) return null
    const { proxy } = known.identity
    return proxy === null || this.#options.proxySet?.isHealthy(proxy)
      ? this.#taskIdentityOf(known.identity, host)
      : null
  }

  keepFor(n: number, { id }: Pick<TaskIdentity, 'id'>): void {
    this.#begun.set(n, id)
  }

  /** An identity for requests outside of tasks, such as robots.txt. With proxies, it is a new identity. Without
   *  proxies, it is one of the job's. */
  takeAside(host: string, at: number): TaskIdentity | null {
    const { proxySet, proxy } = this.#options
    if (!proxySet) return this.take(host, at)
    const choice = proxySet.chooseKept({ host, at, rotation: 'round-robin', restMs: 0 }, null)
    if (choice === 'none' || !('proxy' in choice)) return null
    const { name, country } = choice.proxy
    const region = country ?? proxy.country ?? null
    return { id: this.#options.newId(), proxy: name, region, ...this.#via(name) }
  }

  giveBack({ proxy }: TaskIdentity, host: string): void {
    if (proxy !== null) this.#options.proxySet?.giveBack(proxy, host)
  }

  /** Records the outcome of an attempt. A blocked identity is not used again, except in a named session. A network
   *  failure counts against the proxy. Returns true if the host is not at fault, because it responds through other
   *  proxies. */
  learn(
    identity: Pick<TaskIdentity, 'id' | 'proxy'>,
    host: string,
    facts: VisitFacts,
    now: number,
    target: string | null = null,
  ): boolean {
    const known = this.#known.get(identity.id)
    if (known && facts.cookies !== undefined) known.identity.cookies.set(host, facts.cookies)
    const verdict = verdictOf(facts.failure)
    if (known) this.#judge(known, verdict)
    const { proxySet } = this.#options
    if (identity.proxy === null || verdict === 'nothing' || !proxySet) return false
    const { failure, startedAt = now } = facts
    if (verdict === 'lost') return proxySet.failed(identity.proxy, host, failure!, now, { target, startedAt })
    proxySet.succeeded(identity.proxy, host, now)
    return false
  }

  /** Records a wall that was found when the page was parsed, after the outcome of the request was recorded. */
  read({ id }: Pick<TaskIdentity, 'id'>, failure: FailureJson): void {
    const known = this.#known.get(id)
    if (known && verdictOf(failure) === 'blocked') this.#judge(known, 'blocked')
  }

  noHealthyProxy(): Failure {
    const { proxySet } = this.#options
    return new Failure(
      'proxy.none-healthy',
      `none of the ${proxySet?.size ?? 0} proxies is healthy; \`kscrape proxies list\` says why`,
      { proxies: proxySet?.size ?? 0, retryAfterMs: 60_000 },
    )
  }

  #judge({ identity, group }: { identity: KnownIdentity; group: IdentityGroup }, verdict: Verdict): void {
    if (this.#options.session !== null) return
    if (verdict === 'blocked') group.retire(identity)
    else if (verdict === 'lost' || verdict === 'unwelcome') group.failed(identity)
    else if (verdict === 'well') group.succeeded(identity)
  }

  get #isKept(): boolean {
    return this.#options.proxy.rotation === 'sticky' || this.#options.session !== null
  }

  /** For rotating proxies: chooses a proxy, then takes an identity of this proxy. */
  #takeTurn(host: string, at: number): KnownIdentity | null {
    const { proxySet, proxy } = this.#options
    const choice = proxySet!.choose({ host, at, rotation: proxy.rotation, restMs: proxy.restMs })
    if (choice === 'none' || !('proxy' in choice)) return null
    const { name, hasManyExits } = choice.proxy
    const { count = hasManyExits ? usualExits : 1 } = this.#options.identity
    const most = hasManyExits ? count : Math.min(mostPerProxy, Math.ceil(count / proxySet!.size))
    return this.#groupFor(name, most, bornAt => this.#born(name, bornAt)).take(at, () => true)
  }

  /** For identities that keep their proxies: takes an identity. A new identity gets a proxy. */
  #takeKept(host: string, at: number): KnownIdentity | null {
    const { proxySet, identity, session, proxy } = this.#options
    const make = (bornAt: number): KnownIdentity | null => {
      if (!proxySet) return this.#born(null, bornAt)
      const choice = proxySet.chooseKept(
        { host, at: bornAt, rotation: 'round-robin', restMs: proxy.restMs },
        session,
      )
      return choice === 'none' || !('proxy' in choice) ? null : this.#born(choice.proxy.name, bornAt)
    }
    const isFit = (one: KnownIdentity) => one.proxy === null || (proxySet?.isHealthy(one.proxy) ?? true)
    return this.#groupFor('', session === null ? (identity.count ?? 1) : 1, make).take(at, isFit)
  }

  #born(proxy: string | null, bornAt: number): KnownIdentity {
    return newIdentity(this.#options.session ?? this.#options.newId(), proxy, bornAt)
  }

  #groupFor(name: string, most: number, make: (at: number) => KnownIdentity | null): IdentityGroup {
    const known = this.#groups.get(name)
    if (known) return known
    // A named session never rests and never expires.
    const policy =
      this.#options.session === null
        ? this.#options.identity
        : { ...this.#options.identity, restMs: 0, maxAgeMs: Number.POSITIVE_INFINITY }
    const group = new IdentityGroup(policy, most, at => {
      const made = make(at)
      if (made) this.#known.set(made.id, { identity: made, group })
      return made
    })
    this.#groups.set(name, group)
    return group
  }

  #taskIdentityOf({ id, proxy, cookies: byHost }: KnownIdentity, host: string): TaskIdentity {
    const cookies = byHost.get(host)
    const region =
      (proxy && this.#options.proxySet?.get(proxy)?.country) || this.#options.proxy.country || null
    return { id, proxy, region, ...(cookies !== undefined && { cookies }), ...this.#via(proxy) }
  }

  #via(proxy: string | null): Pick<TaskIdentity, 'via'> {
    return this.#options.isOther && proxy !== null ? { via: withJobUrls(this.#options.proxy, {}) } : {}
  }
}

/** The conclusion about an identity and its proxy from an outcome. `well`: the site responded. `blocked`: the site
 *  blocks the identity. `unwelcome`: the site throttles requests. `lost`: it is unknown whether the request arrived.
 *  `nothing`: no conclusion. */
type Verdict = 'well' | 'blocked' | 'unwelcome' | 'lost' | 'nothing'

const lostCodes: ReadonlySet<string> = new Set([
  ...[
    'proxy.refused',
    'proxy.failed',
    'connect.refused',
    'connect.failed',
    'connect.timeout',
    'connection.lost',
  ],
  ...['fetch.timeout', 'tls.failed', 'http.protocol', 'body.truncated', 'navigation.failed'],
])
/** Prefixes of failure codes that say nothing about the identity: no request was sent, or our side caused the failure. */
const silentPrefixes = [
  'worker.',
  'job.',
  'pool.',
  'browser.',
  'robots.',
  'host.denied',
  'host.not-now',
  'address.',
]

function verdictOf(failure: FailureJson | null): Verdict {
  if (!failure) return 'well'
  if (failure.code === 'blocked.captcha' || failure.code === 'blocked.refused') return 'blocked'
  if (failure.code === 'host.throttled') return 'unwelcome'
  if (lostCodes.has(failure.code)) return 'lost'
  if (failure.code.startsWith('dns.') || silentPrefixes.some(prefix => failure.code.startsWith(prefix)))
    return 'nothing'
  return 'well'
}
