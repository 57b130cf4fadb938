// The settings of the scrape API and of /fetch.
import * as z from 'zod'
import { setting } from './setting-kinds.ts'

export const scrapeSettings = {
  scrapeIdentity: setting(
    'SCRAPER_SCRAPE_IDENTITY',
    'The identity of `/api/v1/scrape` and `/fetch`, for every key. `own` identifies kscrape. `browser` sends the headers and the TLS handshake of a browser. It also renders with another fingerprint for each task, and pauses between actions.',
    z.enum(['own', 'browser']).default('own'),
  ),
}
