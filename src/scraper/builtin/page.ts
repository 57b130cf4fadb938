// The default scraper: a page as it is, with title, text, markdown, links and structured data; or what the job's rules say.
import type { Scraper } from '../define-scraper.ts'

/** Neither rules nor code: the pipeline gives its default record, or applies the job's own rules. */
export const page: Scraper = {
  id: 'page',
  version: '1',
  name: 'Page',
  description:
    'Title, text, markdown, links and structured data of any page; with rules, the fields they name.',
}
