// Tries rules on one stored page. The records are returned and not stored.
import { decodeText } from '../../fetch/http/index.ts'
import { defaultWorkspace } from '../../model/access.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { Extracted, Provenance, RecordData } from '../../model/record.ts'
import type { LeasedTask } from '../../model/task.ts'
import { asked } from '../../results/warc-exchanges.ts'
import { StoredPages, type StoredPagesParts } from '../keep/stored-pages.ts'
import { inForce, parseJobSpec } from '../submit/submit-job.ts'
import { pageViewOf } from '../work/scraper/page-view.ts'

export interface TriedRules {
  /** `id@version` of the scraper or rules that made the records. */
  maker: string
  records: Extracted[]
  /** Why there is no record; null if there is one. */
  problem: { code: string; message: string } | null
}

/** Applies the rules to the page. Without rules, the result is the default record. Throws the failure that a task would have. */
export async function tryRules(
  parts: StoredPagesParts,
  page: Page,
  rules: ExtractionRules | undefined,
  signal: AbortSignal,
): Promise<TriedRules> {
  const spec = inForce(parseJobSpec({ urls: [page.url], ...(rules && { extract: rules }) }))
  await using pages = new StoredPages(parts, { id: 'try', kind: 'list', workspace: defaultWorkspace, spec })
  const { records, failure, remark } = await pages.run(taskFor(page.url), [asked(page)], signal)
  if (failure) throw Failure.from(failure)
  return { maker: pages.maker, records: records.map(parsedRecord), problem: problemOf(remark) }
}

const problemOf = (remark: string | undefined): TriedRules['problem'] =>
  remark === undefined ? null : { code: 'extract.no-match', message: remark }

const parsedRecord = ({ data, provenance }: { data: string; provenance: string | null }): Extracted => ({
  data: JSON.parse(data) as RecordData,
  provenance: JSON.parse(provenance ?? '{}') as Provenance,
})

const taskFor = (url: string): LeasedTask => ({
  ...{ jobId: 'try', n: 1, attempt: 1, charged: 0, kind: 'page', url, host: new URL(url).host },
  ...{ depth: 0, priority: 0, input: null, itemId: null, way: 'http', wayWhy: null },
})

export interface PageTexts {
  title: string | null
  text: string
  markdown: string
  html: string
}

/** The page as HTML, text and Markdown. Null if the page is not text. */
export function pageTexts(page: Page): PageTexts | null {
  if (!isText(page)) return null
  const html = decodeText(page)
  const view = pageViewOf(html, page)
  return { title: view.text('title'), text: view.text('body') ?? html, markdown: view.markdown(), html }
}

const isText = (page: Page): boolean => /^$|^text\/|html|xml|json|javascript/.test(mediaTypeOf(page.headers))
