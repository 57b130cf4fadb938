// The result of parsing a page, before it is committed.
import type { RenderNeed } from '../../extract/render-need.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { AdmittedLinks } from '../../model/page/links.ts'
import type { Page } from '../../model/page/page.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Extracted } from '../../model/record.ts'
import type { Key, LeasedTask } from '../../model/task.ts'

export interface Reading {
  extracted: Extracted[]
  links: AdmittedLinks | null
  sitemaps: string[]
  canonicalKey: Key | null
  contentKey: Key | null
  specParsed: boolean
  /** A problem of the page or sitemap, for pages without a record. */
  warning?: PageWarning
  /** Set if the page was checked for content that needs a browser. */
  looked?: LookedAt
}

/** The result of the check whether the page needs a browser. */
export interface LookedAt {
  need: RenderNeed
  /** True if the job expects records and the page gave none. */
  isLacking: boolean
}

/** Parses pages in another process. If a page kills that process, the lane continues. */
export interface PageReader {
  /** Fails with `page.too-costly` if the process dies twice or takes too long. */
  read(job: LaneJob, task: LeasedTask, page: Page): Promise<Reading>
  /** Tests whether the page can be parsed with the memory limit of a lane. Called before code in the lane parses it.
   *  Fails like `read`. */
  probe(page: Page): Promise<unknown>
}
