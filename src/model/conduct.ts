// Conduct: what a job was allowed beyond the polite defaults, and who is not to be crawled at all.
import type { HostPolicyInput } from './policy.ts'

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
