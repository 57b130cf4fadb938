// The default scraper: title, text, markdown, links and structured data of a page, or the job's rules.
import type { Scraper } from '../define-scraper.ts'

/** Has neither rules nor a `run` function. If the job has rules, the pipeline applies them. Otherwise it
 *  creates the default record. */
export const page: Scraper = {
  id: 'page',
  version: '1',
  name: 'Page',
  description:
    'Title, text, markdown, links and structured data of any page, or the fields of the job’s rules.',
}
