// Entries of the lists as the operator makes them, and as they are shown.
import { crawlPattern, type HostListing } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { isoTime, isoTimeOrNull } from '../../answers.ts'
import { newListingId } from './requests.ts'

export interface WantedListing {
  pattern: string
  list: HostListing['list']
  reason?: string | undefined
}

/** In force as it is. */
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
  throw new Failure('input.invalid', `pattern: "${text.slice(0, 100)}" names no place; ${ways}`, {
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
  approve: { state: 'approved', summary: 'Agree to a request: it is in force at once' },
  refuse: { state: 'refused', summary: 'Turn a request down' },
} as const
