// The do-not-crawl lists of a service. Needs the scope `admin`.
import type { HostListing, ListingState } from '../model/conduct.ts'
import { type Connection, pathTo } from './connection.ts'
import { pagesOf } from './pages.ts'

export interface ListingShown {
  listingId: string
  list: HostListing['list']
  pattern: string
  status: ListingState
  reason: string | null
  contact: string | null
  createdAt: string
  decidedAt: string | null
  decidedBy: string | null
}

export class Listings {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(filter: { list?: HostListing['list']; status?: ListingState } = {}): AsyncGenerator<ListingShown> {
    return pagesOf(this.#connection, '/do-not-crawl', 'listings', filter)
  }

  /** In force at once, also for jobs that run. */
  add(entry: { pattern: string; list?: HostListing['list']; reason?: string }): Promise<ListingShown> {
    return this.#connection.json('/do-not-crawl', { body: entry })
  }

  approve(listingId: string): Promise<ListingShown> {
    return this.#connection.json(pathTo`/do-not-crawl/${listingId}/approve`, { method: 'POST' })
  }

  refuse(listingId: string): Promise<ListingShown> {
    return this.#connection.json(pathTo`/do-not-crawl/${listingId}/refuse`, { method: 'POST' })
  }

  async delete(listingId: string): Promise<void> {
    await this.#connection.send(pathTo`/do-not-crawl/${listingId}`, { method: 'DELETE' })
  }
}
