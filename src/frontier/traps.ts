// Detects traps, so that a crawl does not follow endless URLs: calendars, filter combinations, identical pages.
import { KeyHash } from './keys.ts'
import { nameOf } from './parameters.ts'
import { accepted, refusedBy, type Verdict } from './scope.ts'
import { looksLikeCalendar, patternOf, suspiciousShape } from './url-shapes.ts'

export { suspiciousShape } from './url-shapes.ts'

interface TrapLimits {
  /** Maximum number of pages per calendar. */
  pagesPerCalendar: number
  /** Maximum number of different sets of query parameter names per path. */
  queryShapesPerPath: number
  /** Maximum number of consecutive pages of one URL pattern with the same body. */
  sameBodies: number
  /** Maximum number of patterns in memory. The oldest pattern is evicted first. */
  patterns: number
}

const defaultLimits: TrapLimits = {
  pagesPerCalendar: 300,
  queryShapesPerPath: 100,
  sameBodies: 20,
  patterns: 2_000,
}

interface Bodies {
  last: bigint
  inARow: number
}

/** Detects traps by counting the URLs of one job. A URL that was allowed once is allowed again. The guard stores only
 *  hashes, because a slice of a string can keep a whole page in memory. */
export class TrapGuard {
  readonly #limits: TrapLimits
  readonly #calendars: Map<number, Set<number>> = new Map()
  readonly #queryShapes: Map<number, Set<number>> = new Map()
  readonly #bodies: Map<number, Bodies> = new Map()
  #closedPatterns = 0
  readonly #hash = new KeyHash()
  readonly #lanes = new Int32Array(2)

  constructor(limits: Partial<TrapLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  judge(url: string): Verdict {
    const shape = suspiciousShape(url)
    if (shape !== null) return refusedBy('trap.suspected', shape)
    if (this.#isClosed(url))
      return refusedBy('trap.suspected', 'pages of this pattern all have the same body')
    if (!this.#fitsCalendar(url))
      return refusedBy('trap.suspected', `more than ${this.#limits.pagesPerCalendar} pages of one calendar`)
    if (this.#fitsQueryShapes(url)) return accepted
    const { queryShapesPerPath } = this.#limits
    return refusedBy(
      'trap.suspected',
      `more than ${queryShapesPerPath} combinations of parameters on one path`,
    )
  }

  /** Records the content of a fetched page. A different body resets the count, so that some identical pages of a shop (like sold-out
   *  items) do not exclude the whole pattern. */
  noteBody(url: string, contentKey: bigint): void {
    const pattern = this.#numberOf(patternOf(url))
    const bodies = this.#bodies.get(pattern)
    if (bodies === undefined) this.#watch(this.#bodies, pattern, { last: contentKey, inARow: 1 })
    else if (bodies.inARow < this.#limits.sameBodies) {
      bodies.inARow = bodies.last === contentKey ? bodies.inARow + 1 : 1
      bodies.last = contentKey
      if (bodies.inARow === this.#limits.sameBodies) this.#closedPatterns++
    }
  }

  #isClosed(url: string): boolean {
    if (this.#closedPatterns === 0) return false
    const bodies = this.#bodies.get(this.#numberOf(patternOf(url)))
    return bodies !== undefined && bodies.inARow >= this.#limits.sameBodies
  }

  #fitsCalendar(url: string): boolean {
    if (!looksLikeCalendar(url)) return true
    return this.#hasRoom(this.#calendars, patternOf(url), url, this.#limits.pagesPerCalendar)
  }

  #fitsQueryShapes(url: string): boolean {
    const queryAt = url.indexOf('?')
    if (queryAt < 0 || !url.includes('&', queryAt)) return true
    const names = url
      .slice(queryAt + 1)
      .split('&')
      .map(nameOf)
      .join('&')
    return this.#hasRoom(this.#queryShapes, url.slice(0, queryAt), names, this.#limits.queryShapesPerPath)
  }

  #hasRoom(groups: Map<number, Set<number>>, group: string, member: string, limit: number): boolean {
    const key = this.#numberOf(group)
    const members = groups.get(key) ?? this.#watch(groups, key, new Set())
    const number = this.#numberOf(member)
    if (members.has(number)) return true
    if (members.size >= limit) return false
    members.add(number)
    return true
  }

  #watch<Watched>(groups: Map<number, Watched>, key: number, watched: Watched): Watched {
    if (groups.size >= this.#limits.patterns) groups.delete(groups.keys().next().value!)
    groups.set(key, watched)
    return watched
  }

  #numberOf(text: string): number {
    this.#hash.resume(nothingHashed).add(text).writeTo(this.#lanes)
    return this.#lanes[0]!
  }
}

const nothingHashed = new KeyHash()
