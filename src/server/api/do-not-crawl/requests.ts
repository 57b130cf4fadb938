// Opt-out requests: anyone may make one. A request applies when the token is found at the site, or the operator approves it.

import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { entriesById } from '../../../lib/list-pages.ts'
import { crawlPattern, type HostListing, type ListingState } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { proofName, proofPath, proofText } from '../../../pipeline/coordinate/prove-ownership.ts'
import type { ServerParts } from '../../parts.ts'

export const requestBody = z
  .strictObject({
    host: z.string().min(1).max(300).describe('The site, like `example.com`.'),
    subdomains: z.boolean().default(false).describe('Whether the subdomains of the site are excluded too.'),
    reason: z.string().max(2_000).optional(),
    contact: z
      .string()
      .max(300)
      .optional()
      .describe('How the operator can contact you. Only the operator sees it.'),
  })
  .meta({ examples: [{ host: 'example.com', subdomains: true, contact: 'webmaster@example.com' }] })
type RequestBody = z.output<typeof requestBody>

/** Maximum number of undecided requests. More than this is a flood. */
const mostWaiting = 1_000
const pageSize = 1_000

type Parts = Pick<ServerParts, 'store' | 'clock' | 'hosts' | 'ownership' | 'log'>

/** Idempotent: a repeated request returns the existing entry. */
export async function enterRequest(parts: Parts, body: RequestBody): Promise<HostListing> {
  const pattern = patternOf(body)
  const known = await requestFor(parts, pattern)
  if (known) return known
  const listing: HostListing = {
    ...{ id: newListingId(), list: 'deny', pattern, state: 'requested' },
    ...{ reason: body.reason ?? null, contact: body.contact ?? null },
    token: randomBytes(18).toString('base64url'),
    ...{ createdAt: parts.clock.now(), decidedAt: null, decidedBy: null },
  }
  await parts.store.conduct.enterListing(listing)
  parts.log.info({ listing_id: listing.id, pattern }, 'a site owner asked not to be crawled')
  return listing
}

export const newListingId = (): string => `dnc-${randomBytes(8).toString('hex')}`

/** Only the host of the input counts: `https://example.com/about` opts out all of example.com. */
function patternOf({ host, subdomains }: RequestBody): string {
  const name = host
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/s, '')
  const pattern = name.includes('*') ? null : crawlPattern(subdomains ? `*.${name}` : name)
  if (pattern) return pattern
  throw new Failure(
    'input.invalid',
    `host: "${host.slice(0, 100)}" is not a host; write it like example.com`,
    {
      path: 'host',
    },
  )
}

/** A repeated request in one of these states returns the existing entry. */
const living: ListingState[] = ['requested', 'proved', 'approved']

async function requestFor({ store }: Parts, pattern: string): Promise<HostListing | null> {
  let waiting = 0
  const denied = { states: living, list: 'deny' as const }
  for await (const listing of entriesById(pageSize, page => store.conduct.listings({ ...denied, ...page }))) {
    if (listing.pattern === pattern) return listing
    if (listing.state === 'requested') waiting += 1
  }
  if (waiting < mostWaiting) return null
  throw new Failure('server.busy', `${waiting} requests wait for a decision; retry later`, {
    retryAfterMs: 3_600_000,
  })
}

interface Verified {
  listing: HostListing
  /** One line for each place that was checked, with the result. */
  looked: string[]
}

/** Checks DNS and the site for the token. If the token is found, the entry applies when this resolves. */
export async function verifyRequest(parts: Parts, id: string): Promise<Verified> {
  const listing = await requestNamed(parts, id)
  if (listing.state === 'proved' || listing.state === 'approved') return { listing, looked: [] }
  const host = listing.pattern.replace(/^\*\./, '')
  const { by, looked } = await parts.ownership.prove(host, listing.token!)
  if (by === null) return { listing, looked }
  await parts.store.conduct.decide(id, { state: 'proved', by, at: parts.clock.now() })
  await parts.hosts.refresh()
  parts.log.info(
    { listing_id: id, pattern: listing.pattern, by },
    'a site proved its opt-out and is excluded',
  )
  return { listing: await requestNamed(parts, id), looked }
}

/** Finds an opt-out request of a site owner. Entries of the operator are not found, because they are private. */
export async function requestNamed({ store }: Parts, id: string): Promise<HostListing> {
  const listing = await store.conduct.listing(id)
  if (listing?.token) return listing
  throw new Failure('listing.unknown', `there is no request "${id}"`, { id })
}

/** Instructions for the owner: where to publish the token. */
export function proofsOf({ pattern, token }: HostListing) {
  const host = pattern.replace(/^\*\./, '')
  return {
    dns: { name: `${proofName}.${host.replace(/:\d+$/, '')}`, type: 'TXT', value: proofText(token ?? '') },
    wellKnown: { url: `https://${host}${proofPath}`, content: proofText(token ?? '') },
  }
}
