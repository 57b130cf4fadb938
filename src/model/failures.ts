// Failure codes and their meaning: one class and one table.

/** Whether a retry may help. `later`: the same request may succeed after a wait. `elsewhere`: it may succeed with another proxy
 *  or session; if the proxy is at fault, the retry is due at once. `never`: a repeat gives the same result. */
type RetryRule = 'later' | 'elsewhere' | 'never'

interface FailureRule {
  retry: RetryRule
  /** Whether the failure uses one of the task's attempts. A 429, for example, uses none. */
  charged: boolean
  /** Whether the failure counts for the host's breaker: the whole host failed, not only one page. */
  breaker: boolean
  /** The HTTP status that an API caller gets. */
  http: number
  /** The state of the task if there is no further attempt. */
  ends: 'failed' | 'skipped' | 'cancelled'
}

/** Failures without a response of the host: the network failed, or the host is down. */
const unanswered: ReadonlySet<string> = new Set([
  'dns.failed',
  'dns.not-found',
  'connect.refused',
  'connect.failed',
  'connect.timeout',
  'tls.failed',
])

/** Whether an outcome means that the host did not respond. */
export const isUnanswered = (reason: string): boolean => unanswered.has(reason)

const temporary = { retry: 'later', charged: true, breaker: true, http: 502, ends: 'failed' } as const
const final = { retry: 'never', charged: false, breaker: false, http: 502, ends: 'failed' } as const
const refused = { retry: 'never', charged: false, breaker: false, http: 403, ends: 'skipped' } as const

export const failures = {
  // Connecting to the host
  'dns.not-found': { ...final, breaker: true },
  'dns.failed': temporary,
  'connect.refused': temporary,
  'connect.failed': temporary,
  'connect.timeout': { ...temporary, http: 504 },
  'connection.lost': temporary,
  'tls.failed': { ...final, breaker: true },
  'proxy.refused': { retry: 'elsewhere', charged: false, breaker: false, http: 502, ends: 'failed' },
  'proxy.failed': { retry: 'elsewhere', charged: false, breaker: false, http: 502, ends: 'failed' },
  'proxy.none-healthy': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  // The response
  'fetch.timeout': { ...temporary, http: 504 },
  'http.server-error': temporary,
  'http.request-timeout': temporary,
  'http.too-early': temporary,
  /** The host did not respond within `patienceMs` or `outageMs` of the job's policy. No further attempts. */
  'host.unreachable': { retry: 'never', charged: false, breaker: false, http: 502, ends: 'failed' },
  'host.throttled': { retry: 'later', charged: false, breaker: false, http: 429, ends: 'failed' },
  /** Outside the allowed hours of the host or the job. */
  'host.closed': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'host.not-now': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'host.unavailable': { retry: 'later', charged: true, breaker: true, http: 503, ends: 'failed' },
  'http.client-error': final,
  'http.not-found': { ...final, http: 404 },
  'http.protocol': { ...final, breaker: true },
  'body.truncated': temporary,
  'body.undecodable': final,
  'body.too-large': final,
  'redirect.bad': final,
  'redirect.too-many': final,
  'content.unsupported': { ...refused, http: 415 },
  /** A supported file type, but the file is broken, encrypted or empty. */
  'content.unreadable': { ...final, http: 422 },
  'record.too-large': { ...final, http: 422 },
  'page.too-costly': { ...final, http: 422 },
  'page.soft-not-found': { ...final, http: 404 },
  // Walls: detected, not bypassed
  'blocked.captcha': { retry: 'elsewhere', charged: true, breaker: false, http: 403, ends: 'failed' },
  'blocked.login': { ...final, http: 403 },
  'blocked.consent': { ...final, http: 403 },
  // Does not count for the breaker, because often only one page of the host is restricted.
  'blocked.refused': { retry: 'elsewhere', charged: true, breaker: false, http: 403, ends: 'failed' },
  // The browser
  'render.needed': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'navigation.failed': temporary,
  'browser.missing': { ...final, http: 501 },
  'browser.not-started': { ...temporary, breaker: false, http: 503 },
  'browser.crashed': { ...temporary, breaker: false },
  'pool.exhausted': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'action.failed': final,
  'download.too-large': final,
  'secret.missing': { ...final, http: 424 },
  'credential.not-found': { ...final, http: 424 },
  'credential.unavailable': { ...temporary, breaker: false, http: 503 },
  // Refused by our rules
  'address.refused': { ...refused, http: 403, ends: 'failed' },
  'robots.disallowed': refused,
  'robots.unreachable': { retry: 'later', charged: true, breaker: false, http: 503, ends: 'failed' },
  'scope.refused': refused,
  'scope.redirected-out': refused,
  'host.denied': refused,
  'trap.suspected': refused,
  'sitemap.missing': refused,
  'duplicate.redirect': refused,
  'duplicate.canonical': refused,
  'duplicate.content': refused,
  'budget.max-pages': refused,
  'policy.above-ceiling': { ...final, http: 403 },
  'scope.listed': refused,
  // Errors in the input, in the job or in our own code
  'input.invalid': { ...final, http: 422 },
  'scraper.unknown': { ...final, http: 422 },
  'scraper.failed': final,
  'replay.unrecorded': { ...final, http: 422 },
  'page.not-kept': { ...final, http: 404 },
  'extract.site-changed': final,
  'extract.wrong-page-kind': { ...final, http: 422 },
  'extract.too-slow': { ...final, http: 422 },
  'regex.timeout': final,
  'job.unknown': { ...final, http: 404 },
  'job.exists': { ...final, http: 409 },
  'job.wrong-state': { ...final, http: 409 },
  'job.cancelled': { ...refused, ends: 'cancelled' },
  'task.poison': final,
  'task.deadline': { ...temporary, http: 504, breaker: false },
  'lease.lost': { retry: 'later', charged: true, breaker: false, http: 500, ends: 'failed' },
  'worker.stopping': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'worker.crashed': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'worker.exhausted': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'store.busy': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'queue.unavailable': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'sink.unavailable': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'store.locked': { ...final, http: 409 },
  'store.moved': { ...final, http: 409 },
  'storage.full': { retry: 'later', charged: false, breaker: false, http: 507, ends: 'failed' },
  'storage.failed': { retry: 'later', charged: false, breaker: false, http: 503, ends: 'failed' },
  'feature.missing': { ...final, http: 501 },
  // The service
  'request.invalid': { ...final, http: 400 },
  'request.unauthorized': { ...final, http: 401 },
  'request.forbidden': { ...final, http: 403 },
  'request.repeated': { ...final, http: 409 },
  'request.too-slow': { ...final, http: 408 },
  'request.too-large': { ...final, http: 413 },
  'request.too-many': { ...final, retry: 'later', http: 429 },
  'request.unsupported': { ...final, http: 415 },
  'route.unknown': { ...final, http: 404 },
  'method.not-allowed': { ...final, http: 405 },
  'cursor.unknown': { ...final, http: 422 },
  'key.unknown': { ...final, http: 404 },
  'host.unknown': { ...final, http: 404 },
  'listing.unknown': { ...final, http: 404 },
  'listing.exists': { ...final, http: 409 },
  'item.unknown': { ...final, http: 404 },
  'artifact.unknown': { ...final, http: 404 },
  'queue.full': { ...final, retry: 'later', http: 429 },
  'server.busy': { ...final, retry: 'later', http: 503 },
  // Reported by the client: no service responds, or another program responds instead of the service
  'server.unreachable': { ...final, retry: 'later', http: 502 },
  'server.unreadable': { ...final, http: 502 },
  'schedule.unknown': { ...final, http: 404 },
  'schedule.exists': { ...final, http: 409 },
  'schedule.ticked': { ...final, http: 409 },
  'schedule.busy': { ...final, http: 409 },
  'upload.unknown': { ...final, http: 404 },
  'upload.incomplete': { ...final, http: 409 },
  'upload.complete': { ...final, http: 409 },
  'upload.in-use': { ...final, http: 409 },
  'webhook.unknown': { ...final, http: 404 },
  'webhook.failed': { ...final, http: 502 },
  'internal.bug': { ...final, http: 500 },
} as const satisfies Record<string, FailureRule>

export type FailureCode = keyof typeof failures

/** The serialized form of a failure. */
export interface FailureJson {
  code: FailureCode
  message: string
  details?: Record<string, unknown>
}

/** An error with a code. The requested work was not done. The message names the object and the value that caused the error,
 *  never a secret or a body. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: Record<string, unknown>

  constructor(
    code: FailureCode,
    message: string,
    details: Record<string, unknown> = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'Failure'
    this.code = code
    this.details = details
  }

  get rule(): FailureRule {
    return failures[this.code]
  }

  toJSON(): FailureJson {
    return { code: this.code, message: this.message, details: this.details }
  }

  static from(json: FailureJson): Failure {
    return new Failure(json.code, json.message, json.details)
  }
}

/** Turns any error into a Failure. Errors that are not a Failure are bugs; the original error becomes the cause. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const message = error instanceof Error ? error.message : String(error)
  return new Failure('internal.bug', message, {}, { cause: error })
}

/** Whether the failure may pass without a change of the work: the disk is full, or the store or the queue is unavailable. */
export const mayPass = (failure: Failure): boolean => failure.code.startsWith('storage.') || isAway(failure)

/** Whether the failure means that the store or the queue is temporarily unavailable. */
export const isAway = ({ code }: Failure): boolean => code === 'store.busy' || code === 'queue.unavailable'
