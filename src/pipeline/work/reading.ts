// What was read from a page, before it is written down.
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
  /** A problem of the page or sitemap that no record of it can carry. */
  warning?: PageWarning
  /** Of a page that was looked at for what a browser would add. */
  looked?: LookedAt
}

/** A page that was looked at: what it needs, and whether it is of no use without. */
export interface LookedAt {
  need: RenderNeed
  /** No record came of it, though the job wants some. */
  isLacking: boolean
}

/** Reads pages elsewhere: in a process that can die without harm. */
export interface PageReader {
  /** Fails with `page.too-costly` if the process dies twice or takes too long. */
  read(job: LaneJob, task: LeasedTask, page: Page): Promise<Reading>
  /** Reads a page with the memory of a lane, for code that runs in the lane. Fails like `read`. */
  probe(page: Page): Promise<unknown>
}

/** A page of more bytes may need more memory than a lane has. */
export const costlyBytes = 1_000_000
