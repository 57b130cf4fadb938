// Decides whether a page is of the kind that a scraper accepts.
import type { PageView } from './page-view.ts'

/** The pages that a scraper accepts, and how to recognize them. */
export interface PageWanted {
  /** The kind of page, for messages, such as `a job posting`. */
  what: string
  /** Judges the page of the task before any field is extracted. */
  judge(page: PageView): PageFit
  /** A complete page has at least one of these fields. If a page has none of them, jobs with a browser render it. If
   *  the rendered page has none of them either, all fields of the record are null. */
  expects?: readonly string[]
}

/** `no`: the page is clearly of another kind, and the task fails as `extract.wrong-page-kind`. `unclear`: there is no
 *  evidence. Then missing fields are null, and the record has a warning. `found` names the actual kind. */
export type PageFit = { fits: 'yes' } | { fits: 'unclear' | 'no'; found: string }
