// Maps an HTTP status to a failure, or to null for success.
import { Failure } from '../../model/failures.ts'
import { headerOf, type Page } from '../../model/page/page.ts'

/** The failure that the status means; null if the status is a success. `now` (epoch ms) is used for Retry-After dates.
 *  Dispatch decides how long to wait. */
export function statusFailure(page: Page, now: number): Failure | null {
  const { status } = page
  if ((status >= 200 && status < 300) || status === 304) return null
  if (status < 400)
    return new Failure(
      'redirect.bad',
      `${page.finalUrl} answered ${status}, a redirect without a usable Location`,
      { status },
    )
  return new Failure(codeOf(status), `${page.finalUrl} answered ${status}`, detailsOf(page, now))
}

function codeOf(status: number) {
  switch (status) {
    case 404:
    case 410:
      return 'http.not-found'
    case 408:
      return 'http.request-timeout'
    case 425:
      return 'http.too-early'
    case 429:
      return 'host.throttled'
    case 503:
      return 'host.unavailable'
    default:
      return status >= 500 ? 'http.server-error' : 'http.client-error'
  }
}

function detailsOf(page: Page, now: number): Record<string, unknown> {
  const retryAfterMs = page.status === 429 || page.status === 503 ? retryAfterOf(page, now) : null
  return { status: page.status, ...(retryAfterMs !== null && { retryAfterMs }) }
}

/** The wait in ms that Retry-After requests, as seconds or as an HTTP date (RFC 9110, 10.2.3). Null for negative, past
 *  or invalid values. */
function retryAfterOf(page: Page, now: number): number | null {
  const text = headerOf(page.headers, 'retry-after')?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000
  // Require a weekday at the start of a date: `Date.parse` would read "-5" as a year.
  const untilMs = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) - now : Number.NaN
  return untilMs > 0 ? untilMs : null
}
