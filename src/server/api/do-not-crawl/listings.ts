// Builds list entries that the operator adds, and their JSON form.
import { crawlPattern, type HostListing } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { isoTime, isoTimeOrNull } from '../../http/responses.ts'
import { newListingId } from './requests.ts'

export interface WantedListing {
  pattern: string
  list: HostListing['list']
  reason?: string | undefined
}

/** An entry of the operator needs no decision, so it applies at once. */
export const operatorsListing = (
  { pattern, list, reason }: WantedListing,
  decision: { by: string; at: number },
): HostListing => ({
  ...{ id: newListingId(), list, pattern: patternOf(pattern), state: 'approved' },
  ...{ reason: reason ?? null, contact: null, token: null },
  ...{ createdAt: decision.at, decidedAt: decision.at, decidedBy: decision.by },
})

function patternOf(text: string): string {
  const pattern = crawlPattern(text)
  if (pattern) return pattern
  const ways = 'write it like example.com, *.example.com or example.com/path'
  throw new Failure('input.invalid', `pattern: "${text.slice(0, 100)}" is not a host pattern; ${ways}`, {
    path: 'pattern',
  })
}

export const shownListing = ({
  id: listingId,
  state: status,
  createdAt,
  decidedAt,
  token: _token,
  ...rest
}: HostListing) => ({
  ...rest,
  ...{ listingId, status, createdAt: isoTime(createdAt), decidedAt: isoTimeOrNull(decidedAt) },
})

export const decisions = {
  approve: { state: 'approved', summary: 'Approve a request; it applies at once' },
  refuse: { state: 'refused', summary: 'Reject a request' },
} as const
