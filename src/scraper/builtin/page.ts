// The default scraper: title, text, markdown, links and structured data of a page, or the job's rules.
import type { Scraper } from '../define-scraper.ts'

/** This scraper has neither rules nor code: the pipeline applies the job's rules or makes the default record. */
export const page: Scraper = {
  id: 'page',
  version: '1',
  name: 'Page',
  description:
    'Title, text, markdown, links and structured data of any page; with rules, the fields they name.',
}
