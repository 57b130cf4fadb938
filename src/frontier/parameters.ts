// Decides which query parameters and path parts identify a page. Session ids and tracking parameters do not identify a
// page.
import { normalizePercent } from '../lib/text/percent-encoding.ts'
import { isTrackingParameter } from '../lib/tracking-parameters.ts'

export interface CanonicalOptions {
  /** `sort` treats `?b=2&a=1` and `?a=1&b=2` as one page and drops tracking and session parameters; `keep` keeps all
   *  parameters in order; `drop` removes the query. */
  query: 'sort' | 'keep' | 'drop'
}

const sessionNames = new Set(['jsessionid', 'phpsessid', 'asp.net_sessionid', 'oscsid', 'zenid', 'cftoken'])
/** Names that may be session ids or real ids. They are dropped only if the value looks random. */
const maybeSessionNames = new Set(['sid', 's', 'sess', 'session', 'sessionid', 'session_id', 'sessid'])
const randomLooking = /^[0-9a-f]{20,}$/i

/** Cleans a query. It takes and returns the query without `?`. Sorting is stable. */
export function cleanQuery(query: string, order: CanonicalOptions['query']): string {
  if (query === '' || order === 'drop') return ''
  if (order === 'keep') return normalizePercent(query)
  if (!query.includes('&')) return cleanParameter(query)
  const kept: string[] = []
  for (const raw of query.split('&')) {
    const parameter = cleanParameter(raw)
    if (parameter !== '') kept.push(parameter)
  }
  return kept.sort(byName).join('&')
}

/** Whether `cleanQuery` would return this part of `text` unchanged. It may return false for a clean query, which only
 *  costs time. */
export function isCleanQuery(
  text: string,
  start: number,
  end: number,
  order: CanonicalOptions['query'],
): boolean {
  if (order === 'drop') return false
  if (order === 'keep') return start < end && !text.slice(start, end).includes('%')
  let last = ''
  for (let at = start; at <= end; ) {
    const ampersand = text.indexOf('&', at)
    const next = ampersand < 0 || ampersand > end ? end : ampersand
    const parameter = text.slice(at, next)
    if (parameter === '' || parameter.includes('%') || namesTheVisit(parameter)) return false
    const name = nameOf(parameter)
    if (name < last) return false
    last = name
    at = next + 1
  }
  return true
}

/** Normalizes one parameter. The result is empty if the parameter is a session id or a tracking parameter. */
function cleanParameter(raw: string): string {
  const parameter = normalizePercent(raw)
  return namesTheVisit(parameter) ? '' : parameter
}

function namesTheVisit(parameter: string): boolean {
  const name = nameOf(parameter).toLowerCase()
  if (isTrackingParameter(name) || sessionNames.has(name) || name.startsWith('aspsessionid')) return true
  return maybeSessionNames.has(name) && randomLooking.test(parameter.slice(name.length + 1))
}

export function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=')
  return equals < 0 ? parameter : parameter.slice(0, equals)
}

function byName(left: string, right: string): number {
  const leftName = nameOf(left)
  const rightName = nameOf(right)
  return leftName < rightName ? -1 : leftName > rightName ? 1 : 0
}

/** A session id in a path, as Java servers add it: `;jsessionid=…`. */
const sessionMatrix = /;(?:jsessionid|phpsessid)=[^;/]*/gi
/** A session id in a path, as ASP.NET without cookies adds it: `/(S(…))`. */
const sessionSegment = /\/\(S\([a-z0-9]{24}\)\)(?=\/|$)/gi

export function withoutSession(path: string): string {
  if (!path.includes(';') && !path.includes('(')) return path
  return path.replace(sessionMatrix, '').replace(sessionSegment, '') || '/'
}
