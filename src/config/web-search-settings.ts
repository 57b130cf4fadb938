// The settings of the web search engine. Web search is off without an address.
import * as z from 'zod'
import { setting } from './setting-kinds.ts'

export const webSearchSettings = {
  searxngUrl: setting(
    'SCRAPER_SEARXNG_URL',
    'A search engine with SearXNG’s JSON interface, like `http://127.0.0.1:8888`. `/v1/search`, `/v2/search`, `extract` and `agent` of the Firecrawl API then search the web too.',
    z
      .url({ protocol: /^https?$/ })
      .refine(url => !/^https?:\/*[^/?#]*@/i.test(url), 'must not contain a user name or password')
      .optional(),
  ),
}
