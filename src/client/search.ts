// Finds records of a service by their words and fields.
import type { FoundPage, FoundRecord, SearchQuery } from '../model/api/search.ts'
import type { Connection } from './connection.ts'

export type { FoundRecord, SearchQuery }

/** Yields matching records, newest first. Further pages are loaded as needed. */
export async function* search(
  connection: Connection,
  query: SearchQuery,
  pageSize = 100,
): AsyncGenerator<FoundRecord> {
  for (let cursor: string | null = null; ; ) {
    const page: FoundPage = await connection.json('/search', {
      body: { ...query, limit: pageSize, ...(cursor !== null && { cursor }) },
    })
    yield* page.records
    if (page.nextCursor === null) return
    cursor = page.nextCursor
  }
}
