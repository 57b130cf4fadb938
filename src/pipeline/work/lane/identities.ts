// Identities in a lane. Each has its own proxy, cookies and fetch, and keeps them from task to task.

import {
  CookieJar,
  type CookieJson,
  type HeaderSet,
  type HttpFetch,
  headerSetOf,
  openGenerator,
} from '../../../fetch/http/index.ts'
import { addressFor, type ProxyAddress, type ProxyEndpoint } from '../../../fetch/proxies/endpoint.ts'
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { Failure } from '../../../model/failures.ts'
import type { LaneJob, TaskReport } from '../../../model/lane.ts'
import type { IdentityPolicy, TaskIdentity } from '../../../model/policy/proxy.ts'
import type { TaskWay } from '../../../model/policy/way.ts'
import type { Fetch, FetchLayer } from '../../../ports/fetch.ts'

interface LaneIdentitiesParts {
  http: HttpFetch
  /** The fetch used when no identity applies. */
  plain: Fetch
  layer: FetchLayer
  /** The proxies that the job may use. With `via`, returns the proxies that an identity with its own proxy policy may
   *  use. */
  endpointsOf: (via: TaskIdentity['via']) => readonly ProxyEndpoint[]
  /** The cookies that every identity starts with. */
  cookies: readonly CookieJson[]
  /** The headers of a browser in a region, for jobs that imitate a browser. Null: the default region. */
  headersFor?: ((region: string | null) => Promise<HeaderSet>) | undefined
  browserTls: boolean
  /** The identity that uses the job's own cookie jar: its id, and the jar. */
  own: { id: string; jar: CookieJar }
}

/** The parts of a finished task that decide whether its cookies must be reported. */
type ReportedTask = Pick<TaskReport, 'failure'> & { url: string; way: TaskWay }

const nameOf = ({ name, domain, path }: CookieJson): string => `${name} ${domain} ${path}`

interface Known {
  jar: CookieJar
  fetch: Fetch
  /** Cookies, as text, that this lane has reported or received. */
  told: RecentMap<string, true>
  /** The change count of `jar` at the last report. */
  toldAt: number
}

const mostKnown = 2_000
const rememberedTexts = 20
/** Cookies that are longer than this as JSON (in characters) are not reported with a task. */
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

  /** The fetch of an identity. `host` is the site of the task, to which the identity's cookies belong. */
  fetchAs(identity: TaskIdentity, host: string | null): Fetch {
    return this.#of(identity, host).fetch
  }

  /** The cookies of the identity for a page at this URL. */
  cookiesOf(identity: TaskIdentity, url: string): CookieJson[] {
    const { hostname } = new URL(url)
    return this.#of(identity, hostname).jar.ofSite(hostname)
  }

  /** A fetch with the same proxy and a new cookie jar, which starts with the cookies of the job. Runs of a scraper and retries of
   *  blocked tasks must not share a site's session. */
  newSession(identity: TaskIdentity | null | undefined): Fetch {
    return this.#open(CookieJar.from(this.#parts.cookies), identity)
  }

  addressOf({ id, proxy, via }: TaskIdentity): ProxyAddress | undefined {
    if (proxy === null) return undefined
    const endpoint = this.#parts.endpointsOf(via).find(({ name }) => name === proxy)
    if (endpoint) return addressFor(endpoint, id)
    // Fail instead of connecting directly. A job with a proxy must not reveal the address of this machine.
    throw new Failure(
      'proxy.failed',
      `this worker has no proxy ${proxy}; its settings differ from those of the coordinator`,
      { proxy },
    )
  }

  /** Stores the cookies of a browser after a page. `given` are the cookies that the browser started with. If one of
   *  them is missing in `cookies`, the site has deleted it. */
  keep(identity: TaskIdentity, cookies: readonly CookieJson[], given: readonly CookieJson[]): void {
    const { jar } = this.#of(identity, null)
    const there = new Set(cookies.map(nameOf))
    const gone = given.filter(cookie => !there.has(nameOf(cookie)))
    jar.add([...cookies, ...gone.map(cookie => ({ ...cookie, expires: 1 }))])
  }

  /** The part of an identity that is reported with a task. It includes the cookies of the task's site if they changed. */
  report(
    identity: TaskIdentity,
    { url, failure, way }: ReportedTask,
  ): Pick<TaskIdentity, 'id' | 'proxy' | 'cookies'> {
    const { id, proxy } = identity
    const known = this.#of(identity, null)
    // If all tasks share one identity, another lane needs its cookies only when the fetch mode changes.
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

  /** Stores cookies that another lane reported. They replace the local cookies. If local cookies have unreported
   *  changes, both are merged. Cookies that this lane has reported or received before are ignored. */
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
    // A web unlocker chooses the headers itself.
    if (!headersFor || proxy?.isUnlocker) return open()
    const opened = headersFor(identity?.region ?? null).then(open)
    return async (request, signal) => (await opened)(request, signal)
  }
}

type Look = Pick<IdentityPolicy, 'headers' | 'tls'>

/** The identities of a job, grouped by identity policy. Most jobs have one policy. */
export class IdentitiesByLook {
  readonly #open: (look: Look) => LaneIdentities
  readonly #usual: Look
  readonly #known = new Map<string, LaneIdentities>()

  /** Jobs of an old version have no identity policy; they use the default. */
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

/** Generates the headers of a browser. The generator and the browser's version are loaded with the first request. */
export function browserHeaders(
  { spec, browserVersion }: LaneJob,
  versionHere: () => Promise<string>,
): (region: string | null) => Promise<HeaderSet> {
  const { mobile } = spec.rendering
  const sets = new Map<string | null, Promise<HeaderSet>>()
  let ready: Promise<[generator: Awaited<ReturnType<typeof openGenerator>>, version: string]> | null = null
  return region => {
    ready ??= Promise.all([openGenerator(), browserVersion ?? versionHere()])
    const set =
      sets.get(region) ??
      ready.then(([generator, version]) => headerSetOf(generator, { version, mobile, region }))
    sets.set(region, set)
    return set
  }
}
