// Requests to be left alone: entered by anyone, in force once the site itself proves them or the operator agrees.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { crawlPattern, type HostListing, type ListingState } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { proofName, proofPath, proofText } from '../../../pipeline/coordinate/prove-ownership.ts'
import type { ServerParts } from '../../parts.ts'

export const requestBody = z
  .strictObject({
    host: z.string().min(1).max(300).describe('The site, like `example.com`.'),
    subdomains: z.boolean().default(false).describe('Its subdomains too.'),
    reason: z.string().max(2_000).optional(),
    contact: z
      .string()
      .max(300)
      .optional()
      .describe('Where the operator can reach you; shown to nobody else.'),
  })
  .meta({ examples: [{ host: 'example.com', subdomains: true, contact: 'webmaster@example.com' }] })
export type RequestBody = z.output<typeof requestBody>

/** Requests that nobody decided on. More than these would only be someone who fills the list. */
const mostWaiting = 1_000
const pageSize = 1_000

type Parts = Pick<ServerParts, 'store' | 'clock' | 'hosts' | 'ownership' | 'log'>

/** The same request made twice is one. */
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
  parts.log.info({ listing_id: listing.id, pattern }, 'someone asks to be left alone')
  return listing
}

export const newListingId = (): string => `dnc-${randomBytes(8).toString('hex')}`

/** `https://example.com/about` means the site; what is asked for is never less than all of it. */
function patternOf({ host, subdomains }: RequestBody): string {
  const name = host
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/s, '')
  const pattern = name.includes('*') ? null : crawlPattern(subdomains ? `*.${name}` : name)
  if (pattern) return pattern
  throw new Failure('input.invalid', `host: "${host.slice(0, 100)}" is no host; write it like example.com`, {
    path: 'host',
  })
}

/** What was asked for before and may still be decided, or was. */
const living: ListingState[] = ['requested', 'proved', 'approved']

async function requestFor({ store }: Parts, pattern: string): Promise<HostListing | null> {
  let waiting = 0
  for (let cursor: string | undefined; ; ) {
    const page = await store.conduct.listings({
      ...{ states: living, list: 'deny', limit: pageSize },
      ...(cursor && { cursor }),
    })
    const known = page.find(listing => listing.pattern === pattern)
    if (known) return known
    waiting += page.filter(({ state }) => state === 'requested').length
    if (waiting >= mostWaiting)
      throw new Failure('server.busy', `${waiting} requests wait for a decision; ask again later`, {
        retryAfterMs: 3_600_000,
      })
    if (page.length < pageSize) return null
    cursor = page.at(-1)!.id
  }
}

export interface Verified {
  listing: HostListing
  /** What was looked at, and found there. */
  looked: string[]
}

/** Looks for the token; what is found is in force when this resolves. */
export async function verifyRequest(parts: Parts, id: string): Promise<Verified> {
  const listing = await requestNamed(parts, id)
  if (listing.state === 'proved' || listing.state === 'approved') return { listing, looked: [] }
  const host = listing.pattern.replace(/^\*\./, '')
  const { by, looked } = await parts.ownership.prove(host, listing.token!)
  if (by === null) return { listing, looked }
  await parts.store.conduct.decide(id, { state: 'proved', by, at: parts.clock.now() })
  await parts.hosts.refresh()
  parts.log.info({ listing_id: id, pattern: listing.pattern, by }, 'a site is left alone from now on')
  return { listing: await requestNamed(parts, id), looked }
}

/** Only what was asked for from outside: what the operator entered is nobody else's business. */
export async function requestNamed({ store }: Parts, id: string): Promise<HostListing> {
  const listing = await store.conduct.listing(id)
  if (listing?.token) return listing
  throw new Failure('listing.unknown', `there is no request "${id}"`, { id })
}

/** Where the token is looked for, in words that can be followed. */
export function proofsOf({ pattern, token }: HostListing) {
  const host = pattern.replace(/^\*\./, '')
  return {
    dns: { name: `${proofName}.${host.replace(/:\d+$/, '')}`, type: 'TXT', value: proofText(token ?? '') },
    wellKnown: { url: `https://${host}${proofPath}`, content: proofText(token ?? '') },
  }
}
