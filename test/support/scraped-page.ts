// Returns what a built-in scraper extracts from a page of the test.
import assert from 'node:assert/strict'
import { madePage } from '../../src/roles/scrapers/golden-cases.ts'
import { answeringAll } from '../../src/roles/scrapers/replay.ts'
import { runOver } from '../../src/roles/scrapers/run-over.ts'
import type { Scraper } from '../../src/scraper/define-scraper.ts'

export async function scrapedPage(
  scraper: Scraper,
  html: string,
  url = 'https://golden.example/page',
): Promise<Record<string, unknown>> {
  const page = madePage(url, Buffer.from(html), { 'content-type': 'text/html; charset=utf-8' })
  const outcome = await runOver(scraper, { url }, answeringAll(page, url))
  assert.equal(outcome.failure, null)
  return outcome.records[0]!
}
