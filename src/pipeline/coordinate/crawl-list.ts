// The do-not-crawl list has hosts and paths that are never requested. If there is an allow list, only its entries are requested.

export interface CrawlEntries {
  deny: readonly string[]
  /** If empty, only the do-not-crawl list decides. */
  allow: readonly string[]
}

/** One list of hosts and paths. The time of a lookup does not grow with the number of hosts in the list. */
class PlaceList {
  readonly #hosts = new Set<string>()
  readonly #domains = new Set<string>()
  readonly #paths = new Map<string, string[]>()

  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry)
  }

  /** `example.com` matches that host on every port, `example.com:8080` only on that port. `*.example.com` matches the host and
   *  its subdomains. */
  #add(entry: string): void {
    const slash = entry.indexOf('/')
    const host = plain(slash < 0 ? entry : entry.slice(0, slash))
    if (slash >= 0) this.#paths.set(host, [...(this.#paths.get(host) ?? []), entry.slice(slash)])
    else if (host.startsWith('*.')) this.#domains.add(host.slice(2))
    else this.#hosts.add(host)
  }

  get isEmpty(): boolean {
    return this.#hosts.size === 0 && this.#domains.size === 0 && this.#paths.size === 0
  }

  hasHost(host: string): boolean {
    const whole = plain(host)
    const name = withoutPort(whole)
    return this.#hosts.has(whole) || this.#hosts.has(name) || this.#isBelow(name)
  }

  hasPath(host: string, url: string): boolean {
    return this.#pathsOf(host).some(path => isWithin(pathOf(url), path))
  }

  /** Whether the list has paths of this host. */
  hasSomeOf(host: string): boolean {
    return this.#pathsOf(host).length > 0
  }

  #pathsOf(host: string): string[] {
    if (this.#paths.size === 0) return []
    const whole = plain(host)
    return [whole, withoutPort(whole)].flatMap(name => this.#paths.get(name) ?? [])
  }

  #isBelow(name: string): boolean {
    if (this.#domains.size === 0) return false
    for (let at = 0; at >= 0; at = nextLabel(name, at)) if (this.#domains.has(name.slice(at))) return true
    return false
  }
}

const nextLabel = (name: string, at: number): number => {
  const dot = name.indexOf('.', at)
  return dot < 0 ? -1 : dot + 1
}

/** `/a` matches `/a`, `/a/b` and `/a?b`, not `/ab`. */
function isWithin(path: string, below: string): boolean {
  const base = below.endsWith('/') ? below : `${below}/`
  return path === below || path.startsWith(base) || path.startsWith(`${below}?`)
}

const pathOf = (url: string): string => {
  const slash = url.indexOf('/', url.indexOf('://') + 3)
  return slash < 0 ? '/' : url.slice(slash)
}

/** Removes a trailing dot and changes to lower case, because DNS treats `EXAMPLE.com.` and `example.com` alike. */
const plain = (host: string): string => host.toLowerCase().replace(/\.(?=:\d+$|$)/, '')
const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

/** Whether the task is a row without a URL. Such a task has no host. The pages that its scraper opens are checked
 *  separately. */
const isNowhere = (host: string): boolean => host === '' || host.startsWith('~')

/** The do-not-crawl list and the allow list. They apply to every job of the process, and can change while jobs run. */
export class CrawlList {
  #denied = new PlaceList([])
  #allowed = new PlaceList([])

  constructor(entries: CrawlEntries = { deny: [], allow: [] }) {
    this.set(entries)
  }

  set({ deny, allow }: CrawlEntries): void {
    this.#denied = new PlaceList(deny)
    this.#allowed = new PlaceList(allow)
  }

  /** The reason if all URLs of this host are refused; null if at least one URL may be requested. */
  refusalOfHost(host: string): string | null {
    if (isNowhere(host)) return null
    if (this.#denied.hasHost(host)) return `${host} is on the do-not-crawl list`
    if (this.#allowed.isEmpty || this.#allowed.hasHost(host) || this.#allowed.hasSomeOf(host)) return null
    return `${host} is not on the allow list`
  }

  /** Why this URL may not be requested; null if it may. */
  refusalOf(host: string, url: string): string | null {
    if (isNowhere(host)) return null
    const ofHost = this.refusalOfHost(host)
    if (ofHost !== null) return ofHost
    if (this.#denied.hasPath(host, url)) return `${host}${pathOf(url)} is on the do-not-crawl list`
    if (this.#allowed.isEmpty || this.#allowed.hasHost(host) || this.#allowed.hasPath(host, url)) return null
    return `${host}${pathOf(url)} is not on the allow list`
  }
}
