// Conduct: consents of a job beyond the polite defaults, and hosts that must not be crawled.
import type { HostPolicyInput } from './policy/policy.ts'
import type { Reason } from './task.ts'

/** Consents. Each is off by default. `grantableConsents` are scopes of keys. Only the operator can use the other
 *  consents. */
export const consents = [
  'ignore_robots',
  'stealth',
  'browser_headers',
  'credentials',
  'personal_data',
  'private_hosts',
  'proxies',
  'rate',
] as const
type Consent = (typeof consents)[number]

/** Consents that a key can get as scopes with the same names. */
export const grantableConsents = [
  'ignore_robots',
  'stealth',
  'browser_headers',
  'credentials',
  'personal_data',
  'proxies',
] as const satisfies readonly Consent[]
export type GrantableConsent = (typeof grantableConsents)[number]

/** A line of the conduct receipt: who enabled what, and when. */
export interface ConductNote {
  what: Consent
  /** The requested value, or a description of it. */
  value: string
  /** The key's id, or `cli`. */
  who: string
  at: number
}

/** The operator's override for a host, set at run time. It wins over the policy file. */
export interface HostOverride {
  host: string
  policy: HostPolicyInput | null
  /** No requests before this time; `Number.MAX_SAFE_INTEGER` means until resumed. */
  pausedUntil: number
  pauseReason: string | null
  by: string
  at: number
}

export const listingStates = ['requested', 'proved', 'approved', 'refused', 'withdrawn'] as const
export type ListingState = (typeof listingStates)[number]

/** An entry of the do-not-crawl lists. It applies when the owner of the
 *  site has proved the ownership (`proved`) or the operator has approved it (`approved`). */
export interface HostListing {
  id: string
  list: 'deny' | 'allow'
  /** A host, `*.host` with its subdomains, or `host/path` with everything below. */
  pattern: string
  state: ListingState
  /** Why the entry was requested or added, in the words of the person who did it. */
  reason: string | null
  contact: string | null
  /** The token with which the site owner proves ownership, in a DNS TXT record or under `/.well-known/`. */
  token: string | null
  createdAt: number
  decidedAt: number | null
  decidedBy: string | null
}

export const isInForce = ({ state }: Pick<HostListing, 'state'>): boolean =>
  state === 'proved' || state === 'approved'

/** Attempts with these outcomes sent no request, so they do not count for the request rate. */
export const endedUnasked: readonly Reason[] = [
  'robots.disallowed',
  'robots.unreachable',
  'host.denied',
  'host.not-now',
  'address.refused',
  'browser.missing',
  'worker.stopping',
  'cached',
]

/** How a job requested one host: number and times of requests. Only the first request of each task counts. */
export interface HostPace {
  host: string
  requests: number
  firstAt: number
  lastAt: number
}

/** `Example.COM.` → `example.com`, `*.example.com`, `example.com/private`; null if invalid. */
export function crawlPattern(text: string): string | null {
  const [, star = '', host = '', path = ''] = /^(\*\.)?([^\s/?#@*]+)(\/[^\s?#]*)?$/.exec(text.trim()) ?? []
  const url =
    host === '' || host.endsWith(':') || (star !== '' && path !== '')
      ? null
      : URL.parse(`http://${host}${path}`)
  if (!url || url.hostname === '') return null
  const name = url.host.replace(/\.(?=:\d+$|$)/, '')
  return `${star}${name}${url.pathname === '/' ? '' : url.pathname}`
}
