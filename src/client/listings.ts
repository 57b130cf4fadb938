// The do-not-crawl lists of a service. Needs the scope `admin`.
import type { ListingShown } from '../model/api/service.ts'
import type { HostListing, ListingState } from '../model/conduct.ts'
import { type Connection, pathTo } from './connection.ts'
import { pagesOf } from './pages.ts'

export type { ListingShown }

export class Listings {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(filter: { list?: HostListing['list']; status?: ListingState } = {}): AsyncGenerator<ListingShown> {
    return pagesOf(this.#connection, '/do-not-crawl', 'listings', filter)
  }

  /** Adds an entry. It applies at once, also to running jobs. */
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
