// Whether a page is of the kind that a scraper reads.
import type { PageView } from './page-view.ts'

/** Which pages a scraper reads, and how it recognises them. */
export interface PageWanted {
  /** For messages: `a job posting`. */
  what: string
  /** Looks at the page of the task before any field is read. */
  judge(page: PageView): PageFit
  /**
   * Fields of which a complete page of this kind has at least one. Jobs that may use a browser render a page without any of them; a
   * page that still has none gives a record of nulls.
   */
  expects?: readonly string[]
}

/**
 * `no`: structured data or shape says clearly that it is something else; the task fails as `extract.wrong-page-kind`. `unclear`: nothing
 * says either; fields that were not found are null, and the record has a warning. `found` says what the page is instead.
 */
export type PageFit = { fits: 'yes' } | { fits: 'unclear' | 'no'; found: string }
