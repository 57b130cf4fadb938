// The output of kscrape for each item, in the format of the scorer.
import { defaultRecord } from '../../src/extract/default-record.ts'
import { parseDocument } from '../../src/extract/document/index.ts'
import { decodeText } from '../../src/fetch/http/index.ts'
import type { Page } from '../../src/model/page/page.ts'
import type { RecordData } from '../../src/model/record.ts'
import { parseDate, parseMoney } from '../../src/normalize/index.ts'
import { runOver } from '../../src/roles/scrapers/run-over.ts'
import { article } from '../../src/scraper/builtin/article.ts'
import { product } from '../../src/scraper/builtin/product.ts'
import type { Scraper } from '../../src/scraper/define-scraper.ts'
import type { CorpusName, Item } from './corpus.ts'

export type OutputOf = (item: Item) => object | Promise<object>

/** The time of the fetch, on which relative dates depend. */
const fetchedAt = Date.now()

function recordOf(page: Page): RecordData {
  const document = parseDocument(decodeText(page))
  const { data } = defaultRecord(document, { url: page.url, finalUrl: page.finalUrl, status: 200, fetchedAt })
  document.release()
  return data
}

const textOf: OutputOf = ({ page }) => ({ text: recordOf(page).text })

async function scraped(scraper: Scraper, page: Page): Promise<RecordData> {
  const answer = { ...page, startedAt: fetchedAt, sentAt: fetchedAt, endedAt: fetchedAt }
  const { records } = await runOver(scraper, { url: page.url }, async () => answer)
  return records[0] ?? {}
}

export const ours: Record<CorpusName, OutputOf> = {
  aeb: textOf,
  trafilatura: textOf,
  recipes: textOf,
  traps: ({ page }) => ({ markdown: recordOf(page).markdown }),
  readability: async ({ page }) => {
    const { text, language, description } = recordOf(page)
    const { title, author, published_at, site_name } = await scraped(article, page)
    const fields = { title, byline: author, publishedTime: published_at, siteName: site_name }
    return { text, fields: { ...fields, lang: language, excerpt: description } }
  },
  products: async ({ page }) => ({ fields: await scraped(product, page) }),
  'publish-dates': async ({ page }) => ({ date: (await scraped(article, page)).published_at }),
  prices: ({ gold }) => {
    const money = parseMoney(`${gold.text ?? ''}`)
    return { amount: money?.amount ?? null, currency: money?.currency ?? null }
  },
  dates: ({ gold }) => ({ date: parseDate(gold.text ?? '', gold.now ? { now: Date.parse(gold.now) } : {}) }),
}
