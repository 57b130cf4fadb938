// Visitors in a lane: for each identity its proxy, its cookies and a fetch of its own, kept from task to task.

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
  /** As everything is asked that nobody has a say in. */
  plain: Fetch
  layer: FetchLayer
  /** Through which the job may go, or a visitor who asks for others. */
  endpointsOf: (via: TaskIdentity['via']) => readonly ProxyEndpoint[]
  /** What everyone begins with. */
  cookies: readonly CookieJson[]
  /** What a browser would send from there, for jobs that ask for that. */
  headersFor?: ((region: string | null) => Promise<HeaderSet>) | undefined
  browserTls: boolean
  /** Who has the job's own jar. */
  own: { id: string; jar: CookieJar }
}

/** Of a task that was done, what says whether its cookies are news to anyone. */
type ReportedTask = Pick<TaskReport, 'failure'> & { url: string; way: TaskWay }

const nameOf = ({ name, domain, path }: CookieJson): string => `${name} ${domain} ${path}`

interface Known {
  jar: CookieJar
  fetch: Fetch
  /** Cookies as others know them, and the count of changes when they were last told of. */
  told: RecentMap<string, true>
  toldAt: number
}

const mostKnown = 2_000
const rememberedTexts = 20
/** More than this goes along with no task; sites that set so much are not owed it. */
const mostCookieText = 65_536

export class LaneIdentities {
  readonly #parts: LaneIdentitiesParts
  readonly #known = new RecentMap<string, Known>(mostKnown)

  constructor(parts: LaneIdentitiesParts) {
    this.#parts = parts
  }

  /** Of the job itself, where its tasks have no visitor of their own. */
  get ofJob(): Fetch {
    const { headersFor, browserTls, plain } = this.#parts
    if (!headersFor && !browserTls) return plain
    return this.#of({ id: this.#parts.own.id, proxy: null, region: null }, null).fetch
  }

  /** `host`: where the task goes, and its cookies belong. */
  fetchAs(identity: TaskIdentity, host: string | null): Fetch {
    return this.#of(identity, host).fetch
  }

  /** What a page of this address is sent. */
  cookiesOf(identity: TaskIdentity, url: string): CookieJson[] {
    const { hostname } = new URL(url)
    return this.#of(identity, hostname).jar.ofSite(hostname)
  }

  /** The same proxy with cookies of its own, so that what one run of a scraper does at a site is not mixed up with another's. */
  newSession(identity: TaskIdentity | null | undefined): Fetch {
    return this.#open(CookieJar.from(this.#parts.cookies), identity)
  }

  addressOf({ id, proxy, via }: TaskIdentity): ProxyAddress | undefined {
    if (proxy === null) return undefined
    const endpoint = this.#parts.endpointsOf(via).find(({ name }) => name === proxy)
    if (endpoint) return addressFor(endpoint, id)
    // Never from here instead: whoever asked for a proxy must not be seen without it.
    throw new Failure('proxy.failed', `this worker knows no proxy ${proxy}; its settings differ`, { proxy })
  }

  /** A browser has these now. What it was given and has no longer, the site took away. */
  keep(identity: TaskIdentity, cookies: readonly CookieJson[], given: readonly CookieJson[]): void {
    const { jar } = this.#of(identity, null)
    const there = new Set(cookies.map(nameOf))
    const gone = given.filter(cookie => !there.has(nameOf(cookie)))
    jar.add([...cookies, ...gone.map(cookie => ({ ...cookie, expires: 1 }))])
  }

  /** What is told of a visitor with a task: cookies of the site where it was, if they are others than before. */
  report(
    identity: TaskIdentity,
    { url, failure, way }: ReportedTask,
  ): Pick<TaskIdentity, 'id' | 'proxy' | 'cookies'> {
    const { id, proxy } = identity
    const known = this.#of(identity, null)
    // Where all tasks are one visitor's, only one that goes on by another way has to be told of, or has been there.
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

  /** What it came by elsewhere, in place of what is here; where there is news here too, beside it. What is known here already is as new. */
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
    // What opens pages for us decides itself what a site sees.
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

  /** A job from before there were any has the usual look. */
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
