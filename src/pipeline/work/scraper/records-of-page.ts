// Records of a page that a scraper without code opened: from its rules, or the default record.
import type { Page } from '../../../model/page/page.ts'
import type { Extracted } from '../../../model/record.ts'
import type { Scraper } from '../../../scraper/define-scraper.ts'
import { PageRecords } from '../page-records.ts'
import { isMarkup, parseMarkup, refuseWall, textOf } from '../parse-page.ts'

export async function recordsOfPage({ rules }: Scraper, page: Page, url: string): Promise<Extracted[]> {
  await using records = new PageRecords({ rules })
  if (!isMarkup(page)) return await records.ofOther(page, url, textOf(page))
  const parsed = parseMarkup(page, url)
  refuseWall(parsed)
  return await records.ofMarkup(parsed)
}
