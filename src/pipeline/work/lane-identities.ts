// Identities in a lane: each has its proxy, its cookies and its own fetch, which stay from task to task.

import { CookieJar, type CookieJson, type HeaderSet, type HttpFetch } from '../../fetch/http/index.ts'
import { addressFor, type ProxyAddress, type ProxyEndpoint } from '../../fetch/proxies/endpoint.ts'
import { RecentMap } from '../../lib/collections/recent-map.ts'
import { Failure } from '../../model/failures.ts'
import type { TaskReport } from '../../model/lane.ts'
import type { IdentityPolicy, TaskIdentity } from '../../model/policy/proxy.ts'
import type { TaskWay } from '../../model/policy/way.ts'
import type { Fetch, FetchLayer } from '../../ports/fetch.ts'

interface LaneIdentitiesParts {
  http: HttpFetch
  /** The fetch used when no identity applies. */
  plain: Fetch
  layer: FetchLayer
  /** The proxies that the job, or an identity with its own choice, may use. */
  endpointsOf: (via: TaskIdentity['via']) => readonly ProxyEndpoint[]
  /** The cookies that every identity starts with. */
  cookies: readonly CookieJson[]
  /** Headers that a browser would send from that region, for jobs that imitate a browser. */
  headersFor?: ((region: string | null) => Promise<HeaderSet>) | undefined
  browserTls: boolean
  /** The identity that uses the job's own cookie jar. */
  own: { id: string; jar: CookieJar }
}

/** The parts of a finished task that decide whether its cookies must be reported. */
type ReportedTask = Pick<TaskReport, 'failure'> & { url: string; way: TaskWay }

const nameOf = ({ name, domain, path }: CookieJson): string => `${name} ${domain} ${path}`

interface Known {
  jar: CookieJar
  fetch: Fetch
  /** Reported cookies, and the jar's change count at the last report. */
  told: RecentMap<string, true>
  toldAt: number
}

const mostKnown = 2_000
const rememberedTexts = 20
/** More cookies than this are not reported with a task. */
const mostCookieText = 65_536

export class LaneIdentities {
  readonly #parts: LaneIdentitiesParts
  readonly #known = new RecentMap<string, Known>(mostKnown)

  constructor(parts: LaneIdentitiesParts) {
    this.#parts = parts
  }

  /** The fetch of the job itself, for tasks without an identity. */
  get ofJob(): Fetch {
    const { headersFor, browserTls, plain } = this.#parts
    if (!headersFor && !browserTls) return plain
    return this.#of({ id: this.#parts.own.id, proxy: null, region: null }, null).fetch
  }

  /** `host`: the site of the task, to which its cookies belong. */
  fetchAs(identity: TaskIdentity, host: string | null): Fetch {
    return this.#of(identity, host).fetch
  }

  /** The cookies that a page at this URL gets. */
  cookiesOf(identity: TaskIdentity, url: string): CookieJson[] {
    const { hostname } = new URL(url)
    return this.#of(identity, hostname).jar.ofSite(hostname)
  }

  /** The same proxy with new cookies, so that runs of a scraper do not mix at a site. */
  newSession(identity: TaskIdentity | null | undefined): Fetch {
    return this.#open(CookieJar.from(this.#parts.cookies), identity)
  }

  addressOf({ id, proxy, via }: TaskIdentity): ProxyAddress | undefined {
    if (proxy === null) return undefined
    const endpoint = this.#parts.endpointsOf(via).find(({ name }) => name === proxy)
    if (endpoint) return addressFor(endpoint, id)
    // Never connect directly instead: a job with a proxy must not show the address of this machine.
    throw new Failure(
      'proxy.failed',
      `this worker has no proxy ${proxy}; its settings differ from those of the coordinator`,
      { proxy },
    )
  }

  /** Takes over the cookies of a browser. Cookies that it was given and no longer has were deleted by the site. */
  keep(identity: TaskIdentity, cookies: readonly CookieJson[], given: readonly CookieJson[]): void {
    const { jar } = this.#of(identity, null)
    const there = new Set(cookies.map(nameOf))
    const gone = given.filter(cookie => !there.has(nameOf(cookie)))
    jar.add([...cookies, ...gone.map(cookie => ({ ...cookie, expires: 1 }))])
  }

  /** The part of an identity that is reported with a task: cookies of its site, if they changed. */
  report(
    identity: TaskIdentity,
    { url, failure, way }: ReportedTask,
  ): Pick<TaskIdentity, 'id' | 'proxy' | 'cookies'> {
    const { id, proxy } = identity
    const known = this.#of(identity, null)
    // If all tasks share one identity, report cookies only when the fetch mode changes.
    const isOfUse = id !== this.#parts.own.id || failure?.code === 'render.needed' || way === 'browser'
    const host = URL.parse(url)?.hostname
    if (!isOfUse || host === undefined || known.jar.changes === known.toldAt) return { id, proxy }
    known.toldAt = known.jar.changes
    const text = JSON.stringify(known.jar.ofSite(host))
    if (known.told.get(text) || text.length > mostCookieText) return { id, proxy }
    known.told.set(text, true)
    return { id, proxy, cookies: text }
  }

  #of(identity: TaskIdentity, host: string | null): Known {
    const key = `${identity.id} ${identity.proxy}`
    const known = this.#known.get(key) ?? this.#make(identity)
    this.#known.set(key, known)
    if (identity.cookies !== undefined && host !== null) this.#takeOver(known, identity.cookies, host)
    return known
  }

  /** Takes over cookies that another process reported. They replace the local ones, or join them if those have unreported
   *  changes. Known cookies are ignored. */
  #takeOver(known: Known, text: string, host: string): void {
    if (known.told.get(text)) return
    const isTold = known.jar.changes === known.toldAt
    const cookies = JSON.parse(text) as CookieJson[]
    if (isTold) known.jar.replace(host, cookies)
    else known.jar.add(cookies)
    known.told.set(text, true)
    if (isTold) known.toldAt = known.jar.changes
  }

  #make(identity: TaskIdentity): Known {
    const { own, cookies } = this.#parts
    const jar = identity.id === own.id ? own.jar : CookieJar.from(cookies)
    return {
      jar,
      fetch: this.#open(jar, identity),
      told: new RecentMap(rememberedTexts),
      toldAt: jar.changes,
    }
  }

  #open(jar: CookieJar, identity: TaskIdentity | null | undefined): Fetch {
    const { http, layer, browserTls, headersFor } = this.#parts
    const proxy = identity ? this.addressOf(identity) : undefined
    const open = (headers?: HeaderSet) => layer(http.fetchAs({ cookies: jar, proxy, headers, browserTls }))
    // A web unlocker decides itself what a site sees.
    if (!headersFor || proxy?.isUnlocker) return open()
    const opened = headersFor(identity?.region ?? null).then(open)
    return async (request, signal) => (await opened)(request, signal)
  }
}

type Look = Pick<IdentityPolicy, 'headers' | 'tls'>

/** One for each identity policy of a job's tasks; most jobs have one. */
export class IdentitiesByLook {
  readonly #open: (look: Look) => LaneIdentities
  readonly #usual: Look
  readonly #known = new Map<string, LaneIdentities>()

  /** Jobs from before identities existed have the default look. */
  constructor(open: (look: Look) => LaneIdentities, usual: Look = { headers: 'own', tls: 'own' }) {
    this.#open = open
    this.#usual = usual
  }

  of(look: Look = this.#usual): LaneIdentities {
    const key = `${look.headers} ${look.tls}`
    const known = this.#known.get(key) ?? this.#open(look)
    this.#known.set(key, known)
    return known
  }
}
