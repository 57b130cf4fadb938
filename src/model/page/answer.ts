// Cached responses: the records to reuse, and the validators for the next request of the same page.

import type { NewRecord } from '../record.ts'
import type { BlobRef } from './page.ts'

/** Response headers that we send back, so that the host can answer 304 if the page has not changed. */
interface Validators {
  etag: string | null
  lastModified: string | null
}

/** A response to cache. */
export interface NewAnswer extends Validators {
  /** Hash of the request: its URL, the relevant headers, and the rules or scraper that make the records. */
  key: string
  /** When the host last confirmed the page. */
  checkedAt: number
  /** Hash of the body. It shows that a page has not changed if the host sends no validators. */
  bodyKey: string | null
}

/** A cached response whose records still exist. */
export interface KnownAnswer extends NewAnswer {
  /** Where the raw page was stored. Retention may have deleted it. */
  raw: BlobRef | null
  records: NewRecord[]
}
