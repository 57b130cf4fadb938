// The actions of kscrape do-not-crawl.
import type { Client } from '../../client.ts'
import { Failure } from '../../model/failures.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import {
  type ListingDirectory,
  type ListingFilter,
  type ListingShown,
  localListings,
} from '../../roles/local/listings.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { serviceFor } from '../service.ts'
import { table } from '../show/job-tables.ts'
import { safe } from '../talk.ts'

/** The do-not-crawl entries of a service, or of the local data directory. */
async function listingsFor(flags: CommonFlags): Promise<ListingDirectory> {
  const service = await serviceFor(flags)
  return service ? serviceListings(service) : localListings((await settingsFor(flags)).settings)
}

const serviceListings = ({ doNotCrawl: listings }: Client): ListingDirectory => ({
  list: filter => Array.fromAsync(listings.list(filter)),
  add: ({ pattern, list, reason }) =>
    listings.add({ pattern, list, ...(reason !== undefined && { reason }) }),
  decide: (listingId, decision) => listings[decision](listingId),
  delete: listingId => listings.delete(listingId),
})

export async function list(flags: CommonFlags & ListingFilter): Promise<void> {
  const { list, status } = flags
  const filter = { ...(list && { list }), ...(status && { status }) }
  printListings(flags, await (await listingsFor(flags)).list(filter))
}

export async function listRequests(flags: CommonFlags): Promise<void> {
  printListings(flags, await (await listingsFor(flags)).list({ status: 'requested' }))
}

function printListings(flags: CommonFlags, found: ListingShown[]): void {
  if (flags.json) for (const entry of found) printJson(mapKeys(entry, snake))
  else print(table(['entry', 'list', 'pattern', 'status', 'since', 'why'], found.map(rowOf)))
}

const rowOf = ({ listingId, list, pattern, status, createdAt, reason, contact }: ListingShown): string[] => [
  ...[listingId, list, safe(pattern), status, createdAt.slice(0, 10)],
  safe([reason, contact].filter(text => text !== null).join('; ')),
]

function tell(flags: CommonFlags, entry: ListingShown, line: string): void {
  if (flags.json) printJson(mapKeys(entry, snake))
  else if (!flags.quiet) process.stderr.write(`${line}\n`)
}

export async function add(
  pattern: string,
  flags: CommonFlags & { allow?: boolean; reason?: string },
): Promise<void> {
  const { allow, reason } = flags
  const wanted = { pattern, list: allow ? ('allow' as const) : ('deny' as const), reason }
  const entry = await (await listingsFor(flags)).add(wanted)
  const effect = allow ? 'may be requested' : 'gets no more requests'
  tell(flags, entry, `${entry.listingId}: ${safe(entry.pattern)} ${effect}`)
}

export async function remove(name: string, flags: CommonFlags): Promise<void> {
  const listings = await listingsFor(flags)
  const entry = await entryNamed(listings, name)
  await listings.delete(entry.listingId)
  tell(flags, entry, `${entry.listingId}: ${safe(entry.pattern)} was removed from the ${entry.list} list`)
}

/** Finds an entry by its id or by its pattern. */
async function entryNamed(listings: ListingDirectory, name: string): Promise<ListingShown> {
  const found = (await listings.list({})).filter(one => one.listingId === name || one.pattern === name)
  const [entry] = found
  if (entry && found.length === 1) return entry
  const why = entry
    ? `${found.length} entries match "${name}": ${found.map(one => one.listingId).join(', ')}; name one by its id`
    : `there is no entry "${name}"; \`kscrape do-not-crawl list\` shows them`
  throw new Failure(entry ? 'input.invalid' : 'listing.unknown', why)
}

export async function approve(listingId: string, flags: CommonFlags): Promise<void> {
  const entry = await (await listingsFor(flags)).decide(listingId, 'approve')
  tell(flags, entry, `${listingId}: ${safe(entry.pattern)} gets no more requests`)
}

export async function refuse(listingId: string, flags: CommonFlags): Promise<void> {
  const entry = await (await listingsFor(flags)).decide(listingId, 'refuse')
  tell(flags, entry, `${listingId}: the request for ${safe(entry.pattern)} was rejected`)
}
