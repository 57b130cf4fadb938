// Failures by the names that callers of the other faces know: one name for each code, one code for each name.
import { type FailureCode, failures } from './failures.ts'

/** Where the name is not simply the code's own words. */
const agreedNames: Partial<Record<FailureCode, string>> = {
  'input.invalid': 'ValidationError',
  'request.unauthorized': 'AuthenticationError',
  'pool.exhausted': 'PoolExhaustedError',
  'queue.full': 'QueueFullError',
  'host.not-now': 'CircuitOpenError',
  'proxy.none-healthy': 'NoHealthyProxiesError',
  'credential.not-found': 'CredentialNotFoundError',
  'item.unknown': 'TaskNotFoundError',
  'job.unknown': 'JobNotFoundError',
  'task.deadline': 'TaskTimeoutError',
  'fetch.timeout': 'TimeoutError',
  'navigation.failed': 'NavigationError',
  'blocked.captcha': 'CaptchaError',
  'blocked.login': 'LoginRequiredError',
  'blocked.consent': 'ConsentRequiredError',
  'blocked.refused': 'BlockedError',
  'browser.crashed': 'BrowserCrashedError',
  'action.failed': 'ActionError',
  'host.throttled': 'RateLimitedError',
  'robots.disallowed': 'RobotsDisallowedError',
  'internal.bug': 'InternalError',
}

/** `dns.not-found` is a DnsNotFoundError. */
const ownName = (code: string): string =>
  `${code
    .split(/[.-]/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Error`

const codes = Object.keys(failures) as FailureCode[]

export const errorNames = Object.fromEntries(
  codes.map(code => [code, agreedNames[code] ?? ownName(code)]),
) as Readonly<Record<FailureCode, string>>

export const errorNameOf = (code: FailureCode): string => errorNames[code]

/** Null for a name that is nobody's. */
export const failureCodeOf = (name: string): FailureCode | null =>
  codes.find(code => errorNames[code] === name) ?? null
