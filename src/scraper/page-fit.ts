// Whether a page is of the kind that a scraper accepts.
import type { PageView } from './page-view.ts'

/** The accepted pages, and how to recognize them. */
export interface PageWanted {
  /** For messages: `a job posting`. */
  what: string
  /** Judges the page of the task before any field is extracted. */
  judge(page: PageView): PageFit
  /** Fields of which a complete page has at least one. Jobs with a browser render a page without any of them; if there is
   *  still none, the record has only nulls. */
  expects?: readonly string[]
}

/** `no`: clearly another kind; the task fails as `extract.wrong-page-kind`. `unclear`: no evidence; missing fields are null,
 *  and the record has a warning. `found` names the actual kind. */
export type PageFit = { fits: 'yes' } | { fits: 'unclear' | 'no'; found: string }
