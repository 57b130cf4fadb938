// The public surface of kscrape as a library, written out by hand.
import type { SettingsInput } from './config/settings.ts'
import type { RecordData } from './model/record.ts'
import type { OutputOf, StandardSchema } from './model/standard-schema.ts'
import { type Crawl, type CrawlRequest, crawlRecords } from './roles/crawl-records.ts'
import type { TypedScraper } from './scraper/define-scraper.ts'

export type { SettingsInput as Settings } from './config/settings.ts'
export type { ExtractionRules, FieldRule } from './model/extraction-rules.ts'
export { Failure, type FailureCode } from './model/failures.ts'
export type { Job, JobState } from './model/job.ts'
export type { PageKind, PageKindVerdict } from './model/page/page-kind.ts'
export type { Thing } from './model/page/thing.ts'
export type { Json, PageNote, RecordData } from './model/record.ts'
export type { StandardSchema } from './model/standard-schema.ts'
export type { Crawl, CrawledRecord, CrawlRequest } from './roles/crawl-records.ts'
export {
  defineScraper,
  type HandlerContext,
  type OpenOptions,
  type Scraper,
  type ScraperContext,
  type Sources,
  type TypedScraper,
  type Verdict,
} from './scraper/define-scraper.ts'
export type { Normalizers } from './scraper/normalizers.ts'
export type { PageFit, PageWanted } from './scraper/page-fit.ts'
export type { FormFields, FormView, PageView } from './scraper/page-view.ts'

/** Records of a crawl or a list, as they are committed: `for await (const record of crawl({ seedUrls: [...] }))`. */
export function crawl<Out extends StandardSchema>(
  request: Omit<CrawlRequest, 'scraper'> & { scraper: TypedScraper<Out> },
): Crawl<OutputOf<Out>>
export function crawl(request: CrawlRequest): Crawl<RecordData>
export function crawl(request: CrawlRequest): Crawl<RecordData> {
  return crawlRecords(request)
}

/** Declares the settings in `kscrape.config.ts`. The call has no side effects. */
export const defineConfig = (settings: SettingsInput): SettingsInput => settings
