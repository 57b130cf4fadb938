// Cached responses: what can be reused, and validators for the next request.

import type { NewRecord } from '../record.ts'
import type { BlobRef } from './page.ts'

/** Tells a host which version of a page we have. */
interface Validators {
  etag: string | null
  lastModified: string | null
}

/** A response to cache. */
export interface NewAnswer extends Validators {
  /** Key of the request: its URL, the relevant headers, and what makes the records. */
  key: string
  /** When the host last confirmed the page. */
  checkedAt: number
  /** Hash of the body, to recognize it without validators. */
  bodyKey: string | null
}

/** A cached response whose records still exist. */
export interface KnownAnswer extends NewAnswer {
  /** Where its page is stored; it may be deleted. */
  raw: BlobRef | null
  records: NewRecord[]
}
