// The settings of the scrape API and of /fetch.
import * as z from 'zod'
import { setting } from './setting-kinds.ts'

export const scrapeSettings = {
  scrapeIdentity: setting(
    'SCRAPER_SCRAPE_IDENTITY',
    'As whom `/api/v1/scrape` and `/fetch` ask: `own` says who we are; `browser` sends the headers and the TLS handshake of a browser, renders with another fingerprint for each task and pauses between actions, for every key.',
    z.enum(['own', 'browser']).default('own'),
  ),
}
