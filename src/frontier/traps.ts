// Spots URL spaces without end: paths that repeat themselves, calendars, filters in all combinations.
import { nameOf } from './parameters.ts'
import { accepted, refusedBy, type Verdict } from './scope.ts'

const maxSegments = 20
const maxPathLength = 1_500
const maxParameters = 20
/** The same segments this often in a row: a relative link that leads below itself. */
const maxRunsInARow = 2
/** One name this often anywhere in a path: such links mixed. */
const maxSameSegment = 4

/** What the shape of one URL gives away; null when it looks like a page. */
export function suspiciousShape(url: string): string | null {
  const pathAt = url.indexOf('/', url.indexOf('//') + 2)
  const queryAt = url.indexOf('?', pathAt)
  const pathEnd = queryAt < 0 ? url.length : queryAt
  if (pathEnd - pathAt > maxPathLength) return `a path of more than ${maxPathLength} characters`
  if (queryAt >= 0 && countOf(url, '&', queryAt) >= maxParameters)
    return `more than ${maxParameters} parameters`
  return suspiciousPath(url.slice(pathAt + 1, pathEnd))
}

function suspiciousPath(path: string): string | null {
  const slashes = countOf(path, '/', 0)
  if (slashes < maxRunsInARow) return null
  if (slashes >= maxSegments) return `more than ${maxSegments} path segments`
  const segments = path.split('/')
  if (repeatsInARow(segments)) return 'repeating path segments'
  return slashes >= maxSameSegment && repeatsAnywhere(segments) ? 'one path segment again and again' : null
}

function countOf(text: string, character: string, from: number): number {
  let count = 0
  for (let at = text.indexOf(character, from); at >= 0; at = text.indexOf(character, at + 1)) count++
  return count
}

/** Whether a run of segments (`a`, or `a/b`, …) stands more than twice in a row. */
function repeatsInARow(segments: string[]): boolean {
  const longest = Math.floor(segments.length / (maxRunsInARow + 1))
  for (let size = 1; size <= longest; size++) {
    let same = 0
    for (let at = size; at < segments.length; at++) {
      same = segments[at] === segments[at - size] && segments[at] !== '' ? same + 1 : 0
      if (same >= size * maxRunsInARow) return true
    }
  }
  return false
}

function repeatsAnywhere(segments: string[]): boolean {
  const counts = new Map<string, number>()
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1
    if (count > maxSameSegment && segment !== '') return true
    counts.set(segment, count)
  }
  return false
}

/** The URL with its numbers folded: `/cal/2026/10` and `/cal/2031/3` are one pattern. */
export const patternOf = (url: string): string => url.replace(/\d+/g, '#')

/** A word for calendars and a number behind it; a date at the end of the path; a parameter that turns pages of time. */
const calendarWord = /[/?&_-](?:calendar|kalender|calendrier|calendario|agenda|cal)(?=[/?&=._-]).*\d/i
const dateAtTheEnd = /[/-]\d{4}[/-]\d{1,2}(?:[/-]\d{1,2})?\/?(?:\?|$)/
const timeParameter = /[?&](?:[a-z_-]*[_-])?(?:year|month|week|day|date|yr|mon|mese|monat|mois)=[^&]*\d/i

export const looksLikeCalendar = (url: string): boolean =>
  calendarWord.test(url) || dateAtTheEnd.test(url) || timeParameter.test(url)

export interface TrapLimits {
  /** Pages of one calendar. */
  pagesPerCalendar: number
  /** Sets of parameter names that one path may come with. */
  queryShapesPerPath: number
  /** Patterns watched at a time; the oldest is forgotten first. */
  patterns: number
}

const defaultLimits: TrapLimits = { pagesPerCalendar: 300, queryShapesPerPath: 100, patterns: 2_000 }

/** Keeps count over the URLs of one job. What it has let through it lets through again. */
export class TrapGuard {
  readonly #limits: TrapLimits
  readonly #calendars: Map<string, Set<string>> = new Map()
  readonly #queryShapes: Map<string, Set<string>> = new Map()

  constructor(limits: Partial<TrapLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  judge(url: string): Verdict {
    const shape = suspiciousShape(url)
    if (shape !== null) return refusedBy('trap.suspected', shape)
    if (looksLikeCalendar(url) && !this.#hasRoom(this.#calendars, patternOf(url), url, 'pagesPerCalendar'))
      return refusedBy('trap.suspected', `more than ${this.#limits.pagesPerCalendar} pages of one calendar`)
    return this.#judgeQuery(url)
  }

  #judgeQuery(url: string): Verdict {
    const queryAt = url.indexOf('?')
    if (queryAt < 0 || !url.includes('&', queryAt)) return accepted
    const names = url
      .slice(queryAt + 1)
      .split('&')
      .map(nameOf)
      .join('&')
    if (this.#hasRoom(this.#queryShapes, url.slice(0, queryAt), names, 'queryShapesPerPath')) return accepted
    const { queryShapesPerPath } = this.#limits
    return refusedBy(
      'trap.suspected',
      `more than ${queryShapesPerPath} combinations of parameters on one path`,
    )
  }

  #hasRoom(
    groups: Map<string, Set<string>>,
    group: string,
    member: string,
    limit: 'pagesPerCalendar' | 'queryShapesPerPath',
  ): boolean {
    const members = groups.get(group) ?? this.#watch(groups, group)
    if (members.has(member)) return true
    if (members.size >= this.#limits[limit]) return false
    members.add(member)
    return true
  }

  #watch(groups: Map<string, Set<string>>, group: string): Set<string> {
    if (groups.size >= this.#limits.patterns) groups.delete(groups.keys().next().value!)
    const members = new Set<string>()
    groups.set(group, members)
    return members
  }
}
