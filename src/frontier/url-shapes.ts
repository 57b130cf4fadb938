// Detects traps by the shape of a URL: repeated path segments, calendars, many parameters.

const maxSegments = 20
const maxPathLength = 1_500
const maxParameters = 20
/** Maximum number of times that the same segments may occur in a row. More are a sign of a relative link that extends its own
 *  path. */
const maxRunsInARow = 2
/** Maximum number of times that the same segment may occur in a path. */
const maxSameSegment = 4

/** Why the shape of a URL is suspicious; null if it looks like a page. */
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
  return slashes >= maxSameSegment && repeatsAnywhere(segments) ? 'the same path segment too often' : null
}

function countOf(text: string, character: string, from: number): number {
  let count = 0
  for (let at = text.indexOf(character, from); at >= 0; at = text.indexOf(character, at + 1)) count++
  return count
}

/** Whether a run of segments (`a`, or `a/b`, …) repeats more than twice in a row. */
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

/** The URL with all numbers replaced: `/cal/2026/10` and `/cal/2031/3` have the same pattern. */
export const patternOf = (url: string): string => url.replace(/\d+/g, '#')

/** Three signs of a calendar: a calendar word followed by a number, a date at the end of the path, or a time parameter. */
const calendarWord = /[/?&_-](?:calendar|kalender|calendrier|calendario|agenda|cal)(?=[/?&=._-]).*\d/i
const dateAtTheEnd = /[/-]\d{4}[/-]\d{1,2}(?:[/-]\d{1,2})?\/?(?:\?|$)/
const timeParameter = /[?&](?:[a-z_-]*[_-])?(?:year|month|week|day|date|yr|mon|mese|monat|mois)=[^&]*\d/i

export const looksLikeCalendar = (url: string): boolean =>
  calendarWord.test(url) || dateAtTheEnd.test(url) || timeParameter.test(url)

/** What the URLs of pages with the same template have in common: host, folder with numbers replaced, and parameter names.
 *  `https://shop.example/p/4711-mug?colour=red` becomes `shop.example/p/*?colour`. */
export function templateOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  const folder = patternOf(pathname.slice(0, pathname.lastIndexOf('/') + 1))
  const last = pathname.endsWith('/') ? '' : '*'
  const names = [...new Set(searchParams.keys())].sort().join('&')
  return `${host}${folder}${last}${names === '' ? '' : `?${names}`}`
}
