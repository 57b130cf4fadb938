// Rows of host overrides and of listings, as stores on any backend have them.
import type { HostListing, HostOverride, ListingState } from '../../model/conduct.ts'
import type { HostPolicyInput } from '../../model/policy/policy.ts'

export interface OverrideRow {
  host: string
  policy: string | null
  paused_until: number
  pause_reason: string | null
  by: string
  at: number
}

export interface ListingRow {
  id: string
  list: HostListing['list']
  pattern: string
  state: ListingState
  reason: string | null
  contact: string | null
  token: string | null
  created_at: number
  decided_at: number | null
  decided_by: string | null
}

export const overrideOf = (row: OverrideRow): HostOverride => ({
  host: row.host,
  policy: row.policy === null ? null : (JSON.parse(row.policy) as HostPolicyInput),
  pausedUntil: row.paused_until,
  pauseReason: row.pause_reason,
  by: row.by,
  at: row.at,
})

export const listingOf = (row: ListingRow): HostListing => ({
  id: row.id,
  list: row.list,
  pattern: row.pattern,
  state: row.state,
  reason: row.reason,
  contact: row.contact,
  token: row.token,
  createdAt: row.created_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
})
