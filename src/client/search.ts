// Finds records of a service by their words and fields.
import type { Comparison } from '../model/record-query.ts'
import type { Connection } from './connection.ts'
import type { RecordResult } from './job-types.ts'

export interface SearchQuery {
  /** Words that must all occur; also `"a phrase"`, and `begin*` for a prefix. */
  text?: string
  filters?: Array<{ field: string; is?: Comparison; value: string | number | boolean }>
  jobId?: string
  host?: string
  scraper?: string
}

export type FoundRecord = Omit<RecordResult, 'status' | 'provenance'> & { jobId: string }

interface FoundPage {
  records: FoundRecord[]
  nextCursor: string | null
}

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
