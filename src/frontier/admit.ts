// Decides which links of a page become tasks. Runs for every link of every page: no object is made for one that is
// not new.
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
  /** `obey` leaves links alone that the page tells us not to follow. */
  nofollow: 'follow' | 'obey'
  traps?: TrapGuard
  recent?: RecentKeys
}

/** The links of a page as they stand in it, side by side with whether each is marked `nofollow`. */
export interface PageHrefs {
  /** What the hrefs are relative to. */
  base: string
  hrefs: readonly string[]
  /** One flag per href; what is missing is not marked. */
  nofollow: readonly boolean[]
  /** The page asks that none of its links be followed. */
  pageNofollow: boolean
}

const nothingHashed = new KeyHash()

/** One per job and lane. What it admits once it may drop later, so everything admitted must reach the store. */
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

  /** `depth` is the depth the linked pages will have: the page's own + 1. */
  admit(found: PageHrefs, depth: number): AdmittedLinks {
    const batch = new Batch()
    const obeys = this.#options.nofollow === 'obey'
    const byDepth = this.#options.scope.allowsDepth(depth)
    if (byDepth.ok && !(obeys && found.pageNofollow)) this.#admitEach(found, obeys, batch)
    else batch.refuse('scope.refused', found.hrefs.length)
    return batch.finish()
  }

  /** What a fetched page of this job held; patterns whose pages are all the same lead to no new tasks. */
  noteBody(url: string, contentKey: bigint): void {
    this.#traps.noteBody(url, contentKey)
  }

  /** To be called when links that were admitted did not reach the store: the next page brings them again. */
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

  /** The canonical URL, its key in `#lanes`; null when it is no link or was met lately. */
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

/** What one call of `admit` gathers. */
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
