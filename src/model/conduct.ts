// Conduct: what a job was allowed beyond the polite defaults, and who is not to be crawled at all.
import type { HostPolicyInput } from './policy/policy.ts'
import type { Reason } from './task.ts'

/** Switches that are off unless someone with the right to it turns them on. */
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
export type Consent = (typeof consents)[number]

/** Those that a key can be given the right to, each by a scope of its name. The others are the operator's alone. */
export const grantableConsents = [
  'ignore_robots',
  'stealth',
  'browser_headers',
  'credentials',
  'personal_data',
  'proxies',
] as const satisfies readonly Consent[]
export type GrantableConsent = (typeof grantableConsents)[number]

/** Who switched what on, and when: a line of the job's conduct receipt. */
export interface ConductNote {
  what: Consent
  /** In words or as the value that was asked for. */
  value: string
  /** The key's id, or `cli`. */
  who: string
  at: number
}

/** What the operator set for a host while the service runs; wins over the policy file. */
export interface HostOverride {
  host: string
  policy: HostPolicyInput | null
  /** Nothing is asked before; `Number.MAX_SAFE_INTEGER` is until someone resumes it. */
  pausedUntil: number
  pauseReason: string | null
  by: string
  at: number
}

export const listingStates = ['requested', 'proved', 'approved', 'refused', 'withdrawn'] as const
export type ListingState = (typeof listingStates)[number]

/** An entry of the do-not-crawl lists. In force once `proved` by the site's owner or `approved` by the operator. */
export interface HostListing {
  id: string
  list: 'deny' | 'allow'
  /** A host, `*.host` with its subdomains, or `host/path` with what lies below. */
  pattern: string
  state: ListingState
  /** What the owner of the site wrote. */
  reason: string | null
  contact: string | null
  /** What proves the ownership when it is found in a DNS TXT record or under `/.well-known/`. */
  token: string | null
  createdAt: number
  decidedAt: number | null
  decidedBy: string | null
}

export const isInForce = ({ state }: Pick<HostListing, 'state'>): boolean =>
  state === 'proved' || state === 'approved'

/** Attempts that ended like this sent no request: they say nothing about the pace at which a host was asked. */
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

/** How a job asked one host: the first requests of its tasks, and when the first and the last of them went out. */
export interface HostPace {
  host: string
  requests: number
  firstAt: number
  lastAt: number
}

/** `Example.COM.` → `example.com`, `*.example.com`, `example.com/private`; null for what can be no entry of a list. */
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
