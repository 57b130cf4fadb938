// Runs a scraper's code over one page of the test, without fetching anything.
import type { Page } from '../../src/model/page/page.ts'
import type { Extracted } from '../../src/model/record.ts'
import { ScraperSession } from '../../src/pipeline/work/scraper/scraper-session.ts'
import { builtinScrapers } from '../../src/scraper/builtin/index.ts'

const url = 'https://page.example/one'

/** The records that the built-in scraper makes of a page with this markup. */
export async function scrapeMarkup(scraperId: string, markup: string): Promise<Extracted[]> {
  const scraper = builtinScrapers.find(({ id }) => id === scraperId)!
  const bring = () => Promise.resolve(pageOf(markup))
  const session = new ScraperSession(scraper, { url, input: null }, bring, new AbortController().signal)
  await session.run()
  return session.emitted
}

const pageOf = (markup: string): Page => ({
  url,
  finalUrl: url,
  status: 200,
  headers: [['content-type', 'text/html; charset=utf-8']],
  body: Buffer.from(markup),
  wireBytes: markup.length,
  hops: [],
  remoteAddress: null,
  httpVersion: '1.1',
  startedAt: 0,
  sentAt: 0,
  endedAt: 0,
})

/** A JSON-LD block in which no value can close the script element. */
export const jsonLdBlock = (data: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`
