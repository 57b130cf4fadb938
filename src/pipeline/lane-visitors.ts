// Visitors in a lane: for each identity its proxy, its cookies and a fetch of its own, kept from task to task.

import { CookieJar, type CookieJson, type HeaderSet, type HttpFetch } from '../fetch/http/index.ts'
import { addressFor, type ProxyAddress, type ProxyEndpoint } from '../fetch/proxies/endpoint.ts'
import { RecentMap } from '../lib/recent-map.ts'
import type { Visitor } from '../model/proxy.ts'
import type { Fetch, FetchLayer } from '../ports/fetch.ts'

export interface LaneVisitorsParts {
  http: HttpFetch
  layer: FetchLayer
  /** Through which the job may go. */
  endpoints: readonly ProxyEndpoint[]
  /** What everyone begins with. */
  cookies: readonly CookieJson[]
  /** What a browser would send from there, for jobs that ask for that. */
  headersFor?: ((region: string | null) => Promise<HeaderSet>) | undefined
  browserTls: boolean
  /** Who has the job's own jar. */
  own: { id: string; jar: CookieJar }
}

interface Known {
  jar: CookieJar
  fetch: Fetch
  /** Cookies as others know them, and the count of changes that they are as of. */
  told: string | null
  toldAt: number
}

const mostKnown = 2_000
/** More than this goes along with no task; sites that set so much are not owed it. */
const mostCookieText = 65_536

export class LaneVisitors {
  readonly #parts: LaneVisitorsParts
  readonly #endpoints: Map<string, ProxyEndpoint>
  readonly #known = new RecentMap<string, Known>(mostKnown)

  constructor(parts: LaneVisitorsParts) {
    this.#parts = parts
    this.#endpoints = new Map(parts.endpoints.map(endpoint => [endpoint.name, endpoint]))
  }

  /** For jobs that do nothing of it, everything is asked as it always was. */
  get isPlain(): boolean {
    return !this.#parts.headersFor && !this.#parts.browserTls
  }

  /** Of the job itself, where its tasks have no visitor of their own. */
  get ofJob(): Fetch {
    return this.#of({ id: this.#parts.own.id, proxy: null, region: null }).fetch
  }

  fetchAs(visitor: Visitor): Fetch {
    return this.#of(visitor).fetch
  }

  /** The same proxy with cookies of its own, so that what one run of a scraper does at a site is not mixed up with another's. */
  newSession(visitor: Visitor | null | undefined): Fetch {
    return this.#open(CookieJar.from(this.#parts.cookies), visitor)
  }

  addressOf({ id, proxy }: Visitor): ProxyAddress | undefined {
    const endpoint = proxy === null ? undefined : this.#endpoints.get(proxy)
    return endpoint && addressFor(endpoint, id)
  }

  /** A browser has these now. */
  keep(visitor: Visitor, cookies: readonly CookieJson[]): void {
    this.#of(visitor).jar.add(cookies)
  }

  /** What is told of a visitor with a task: cookies where they are others than before. */
  report(visitor: Visitor): Pick<Visitor, 'id' | 'proxy' | 'cookies'> {
    const { id, proxy } = visitor
    const known = this.#of(visitor)
    if (known.jar.changes === known.toldAt) return { id, proxy }
    known.toldAt = known.jar.changes
    const text = JSON.stringify(known.jar.toJSON())
    if (text === known.told || text.length > mostCookieText) return { id, proxy }
    known.told = text
    return { id, proxy, cookies: text }
  }

  #of(visitor: Visitor): Known {
    const key = `${visitor.id} ${visitor.proxy}`
    const known = this.#known.get(key) ?? this.#make(visitor)
    this.#known.set(key, known)
    const { cookies } = visitor
    if (cookies !== undefined && cookies !== known.told) {
      known.jar.add(JSON.parse(cookies) as CookieJson[])
      Object.assign(known, { told: cookies, toldAt: known.jar.changes })
    }
    return known
  }

  #make(visitor: Visitor): Known {
    const { own, cookies } = this.#parts
    const jar = visitor.id === own.id ? own.jar : CookieJar.from(cookies)
    return { jar, fetch: this.#open(jar, visitor), told: null, toldAt: jar.changes }
  }

  #open(jar: CookieJar, visitor: Visitor | null | undefined): Fetch {
    const { http, layer, browserTls, headersFor } = this.#parts
    const proxy = visitor ? this.addressOf(visitor) : undefined
    const open = (headers?: HeaderSet) => layer(http.visitor({ cookies: jar, proxy, headers, browserTls }))
    // What opens pages for us decides itself what a site sees.
    if (!headersFor || proxy?.isUnlocker) return open()
    const opened = headersFor(visitor?.region ?? null).then(open)
    return async (request, signal) => (await opened)(request, signal)
  }
}
