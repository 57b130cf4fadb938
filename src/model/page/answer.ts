// An answer that was had before: what can be used again without asking, and what to ask the host with.

import type { NewRecord } from '../record.ts'
import type { BlobRef } from './page.ts'

/** What tells a host which version of a page we have. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

/** An answer to be remembered, so that the same request need not be made again. */
export interface NewAnswer extends Validators {
  /** Of the request: its URL, the headers that matter, and what makes the records. */
  key: string
  /** When the host last said that this is its page. */
  checkedAt: number
  /** Of the body, to know it again when it comes without validators. */
  bodyKey: string | null
}

/** A remembered answer whose records are still there. */
export interface KnownAnswer extends NewAnswer {
  /** Where its page was kept; it may be gone. */
  raw: BlobRef | null
  records: NewRecord[]
}
