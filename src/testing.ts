// The public API for tests of a user's scrapers: run them on given pages, record real runs, replay them.
import type { SettingsInput } from './config/settings.ts'
import type { RecordData } from './model/record.ts'
import type { InputOf, OutputOf, StandardSchema } from './model/standard-schema.ts'
import { openRecording, type Pages, pagesAtHand, type Recording } from './roles/scrapers/given-pages.ts'
import { recordToFile } from './roles/scrapers/record-to-file.ts'
import { runOver } from './roles/scrapers/run-over.ts'
import type { Scraper, TypedScraper } from './scraper/define-scraper.ts'

export type { Page, Pages, Recording } from './roles/scrapers/given-pages.ts'

/** Where a run starts: a URL, or the row that the scraper's input schema describes. */
export type Start<In extends StandardSchema = StandardSchema> =
  | { url: string; input?: undefined }
  | { input: InputOf<In> & object; url?: undefined }

/** Runs a scraper on given pages, as a job would. Rejects with the `Failure` that ended it. */
export async function runScraper<Out extends StandardSchema, In extends StandardSchema>(
  scraper: TypedScraper<Out, In>,
  options: Start<In> & { pages: Pages | Recording; signal?: AbortSignal },
): Promise<Array<OutputOf<Out>>> {
  const { url, input, pages, signal } = options
  const start = { url, input: input as RecordData | undefined }
  const { records, failure } = await runOver(scraper as Scraper, start, pagesAtHand(pages), signal)
  if (failure) throw failure
  return records as Array<OutputOf<Out>>
}

/** Opens a recording that `runScraper` accepts as its pages. A request that is not in the recording fails with an error
 *  that names the request. */
export const replay = (warcFile: string): Recording => openRecording(warcFile)

/** Runs a scraper on the web, politely. Stores its requests and responses in a WARC file, without secrets. */
export async function record<Out extends StandardSchema, In extends StandardSchema>(
  scraper: TypedScraper<Out, In>,
  options: Start<In> & { to: string; settings?: SettingsInput; signal?: AbortSignal },
): Promise<Array<OutputOf<Out>>> {
  const { url, input, ...rest } = options
  const start = { url, input: input as RecordData | undefined }
  return (await recordToFile(scraper as Scraper, { start, ...rest })) as Array<OutputOf<Out>>
}
