// The do-not-crawl lists of a data directory. A running service notices changes within seconds.

import type { Settings } from '../../config/settings.ts'
import { wallClock } from '../../lib/clocks.ts'
import { entriesById } from '../../lib/list-pages.ts'
import type { HostListing, ListingState } from '../../model/conduct.ts'
import { Failure } from '../../model/failures.ts'
import {
  decisions,
  operatorsListing,
  shownListing,
  type WantedListing,
} from '../../server/api/do-not-crawl/listings.ts'
import { type DataDirectory, withDataDirectory } from '../data-directory.ts'

/** An entry as the API returns it, but in camelCase. */
export type ListingShown = ReturnType<typeof shownListing>

export interface ListingFilter {
  list?: HostListing['list']
  status?: ListingState
}

/** The entries that `kscrape do-not-crawl` reads and changes, in a local data directory or in a service. */
export interface ListingDirectory {
  list(filter: ListingFilter): Promise<ListingShown[]>
  add(wanted: WantedListing): Promise<ListingShown>
  decide(listingId: string, decision: keyof typeof decisions): Promise<ListingShown>
  delete(listingId: string): Promise<void>
}

const pageSize = 1_000
/** The recorded author of an entry that was added without an API key. */
const operator = 'command line'

export function localListings({ dataDir }: Pick<Settings, 'dataDir'>): ListingDirectory {
  const within = <Result>(work: (data: DataDirectory) => Promise<Result>) =>
    withDataDirectory(dataDir, 'do-not-crawl', work)
  return {
    list: filter => within(data => listed(data, filter)),
    add: wanted =>
      within(async ({ store }) => {
        const entry = operatorsListing(wanted, { by: operator, at: wallClock.now() })
        await store.conduct.enterListing(entry)
        return shownListing(entry)
      }),
    decide: (listingId, decision) =>
      within(async data => {
        await listingNamed(data, listingId)
        const { state } = decisions[decision]
        await data.store.conduct.decide(listingId, { state, by: operator, at: wallClock.now() })
        return shownListing(await listingNamed(data, listingId))
      }),
    delete: listingId =>
      within(async data => {
        await listingNamed(data, listingId)
        await data.store.conduct.deleteListing(listingId)
      }),
  }
}

async function listed({ store }: DataDirectory, { list, status }: ListingFilter): Promise<ListingShown[]> {
  const filter = { ...(list && { list }), ...(status && { states: [status] }) }
  const found = entriesById(pageSize, page => store.conduct.listings({ ...filter, ...page }))
  return Array.fromAsync(found, shownListing)
}

async function listingNamed({ store, path }: DataDirectory, listingId: string): Promise<HostListing> {
  const listing = await store.conduct.listing(listingId)
  if (listing) return listing
  throw new Failure(
    'listing.unknown',
    `there is no entry "${listingId}" in ${path}; \`kscrape do-not-crawl list\` shows them`,
  )
}
