// The error names that some APIs return instead of failure codes. Names and codes map one to one.
import { type FailureCode, failures } from './failures.ts'

/** Names that differ from the words of the code. */
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

/** `dns.not-found` becomes DnsNotFoundError. */
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

/** The failure code of an error name. Null if the name is unknown. */
export const failureCodeOf = (name: string): FailureCode | null =>
  codes.find(code => errorNames[code] === name) ?? null
