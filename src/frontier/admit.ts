// Decides which links of a page become tasks. Runs for every link, so it creates no object for known links.
import type { FailureCode } from '../model/failures.ts'
import type { AdmittedLinks } from '../model/page/links.ts'
import type { CanonicalOptions } from './canonical-url.ts'
import { KeyHash } from './keys.ts'
import { PageLinks } from './page-links.ts'
import { RecentKeys } from './recent-keys.ts'
import type { Scope, Verdict } from './scope.ts'
import { TrapGuard } from './traps.ts'

export interface LinkAdmitterOptions {
  scope: Scope
  canonical: CanonicalOptions
  /** `obey` skips links marked nofollow. */
  nofollow: 'follow' | 'obey'
  traps?: TrapGuard
  recent?: RecentKeys
}

/** The links of a page, with a nofollow flag for each. */
export interface PageHrefs {
  /** The base URL of the hrefs. */
  base: string
  hrefs: readonly string[]
  /** One flag per href; missing flags are false. */
  nofollow: readonly boolean[]
  /** The page marks all links as nofollow. */
  pageNofollow: boolean
}

const nothingHashed = new KeyHash()

/** Checks the links of pages. Each job has one admitter in each lane. It admits the same link only once, so the caller
 *  must store every admitted link. */
export class LinkAdmitter {
  readonly #options: LinkAdmitterOptions
  readonly #traps: TrapGuard
  readonly #recent: RecentKeys
  readonly #hash = new KeyHash()
  readonly #lanes = new Int32Array(2)

  constructor(options: LinkAdmitterOptions) {
    this.#options = options
    this.#traps = options.traps ?? new TrapGuard()
    this.#recent = options.recent ?? new RecentKeys()
  }

  /** Returns the links that become tasks. `depth` is the depth of the linked pages: for links of a page, the depth of the page
   *  plus 1. */
  admit(found: PageHrefs, depth: number): AdmittedLinks {
    const batch = new Batch()
    const obeys = this.#options.nofollow === 'obey'
    const byDepth = this.#options.scope.allowsDepth(depth)
    if (byDepth.ok && !(obeys && found.pageNofollow)) this.#admitEach(found, obeys, batch)
    else batch.refuse('scope.refused', found.hrefs.length)
    return batch.finish()
  }

  /** Records the content of a fetched page. After many identical pages in a row, the links of their URL pattern become
   *  no tasks. */
  noteBody(url: string, contentKey: bigint): void {
    this.#traps.noteBody(url, contentKey)
  }

  /** Call this if admitted links could not be stored. The admitter then admits the same links again when another page has them. */
  forget(): void {
    this.#recent.clear()
  }

  #admitEach({ base, hrefs, nofollow }: PageHrefs, obeys: boolean, batch: Batch): void {
    const page = new PageLinks(base, this.#options.canonical)
    const ownHost = page.host === null ? null : this.#options.scope.allowsHost(page.host)
    for (let index = 0; index < hrefs.length; index++) {
      if (obeys && nofollow[index]) batch.refuse('scope.refused', 1)
      else this.#consider(hrefs[index]!, page, ownHost, batch)
    }
  }

  #consider(href: string, page: PageLinks, ownHost: Verdict | null, batch: Batch): void {
    const url = this.#unseen(href, page)
    if (url === null) return
    const host = page.hostOf(url)
    const byHost = host === page.host && ownHost !== null ? ownHost : this.#options.scope.allowsHost(host)
    const verdict = byHost.ok ? this.#judge(url) : byHost
    if (!verdict.ok) batch.refuse(verdict.reason, 1)
    else {
      this.#recent.add(this.#lanes)
      batch.add(url, host, this.#lanes)
    }
  }

  /** The canonical URL of an href; its key is then in `#lanes`. Null if the href is not a web link or was seen recently. */
  #unseen(href: string, page: PageLinks): string | null {
    if (page.locate(href)) {
      this.#hash.resume(page.prefix.hash).add(href, page.at, page.end).writeTo(this.#lanes)
      return this.#recent.has(this.#lanes) ? null : page.located(href)
    }
    const url = page.resolveByStandard(href)
    if (url === null) return null
    this.#hash.resume(nothingHashed).add(url).writeTo(this.#lanes)
    return this.#recent.has(this.#lanes) ? null : url
  }

  #judge(url: string): Verdict {
    const byPath = this.#options.scope.allowsPath(url)
    return byPath.ok ? this.#traps.judge(url) : byPath
  }
}

/** Collects the result of one call of `admit`. */
class Batch {
  readonly #urls: string[] = []
  readonly #hosts: string[] = []
  readonly #lanes: number[] = []
  readonly #refused: AdmittedLinks['refused'] = {}

  add(url: string, host: string, lanes: Int32Array): void {
    this.#urls.push(url)
    this.#hosts.push(host)
    this.#lanes.push(lanes[0]!, lanes[1]!)
  }

  refuse(reason: FailureCode, count: number): void {
    this.#refused[reason] = (this.#refused[reason] ?? 0) + count
  }

  finish(): AdmittedLinks {
    const keys = new BigInt64Array(this.#urls.length)
    new Int32Array(keys.buffer).set(this.#lanes)
    return { urls: this.#urls, hosts: this.#hosts, keys, refused: this.#refused }
  }
}
