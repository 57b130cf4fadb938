// The scrapers API: which scrapers a job can name.
import * as z from 'zod'
import type { RouteGroup } from '../app.ts'

const shownScraper = z.object({
  scraperId: z.string().describe('For `scraper_id` of a job.'),
  version: z.string(),
  name: z.string(),
  description: z.string(),
  kind: z.enum(['code', 'rules']),
})

const shownScrapers = z.object({
  scrapers: z.array(shownScraper),
  broken: z
    .array(z.object({ file: z.string(), message: z.string() }))
    .describe('Files that could not be loaded. Only jobs that name their scrapers fail.'),
})

export const scrapersApi: RouteGroup = {
  name: 'scrapers',
  about: 'The scrapers that jobs can name.',
  addRoutes(app, { parts }) {
    app.get(
      '/scrapers',
      {
        config: { scope: 'read' },
        schema: { summary: 'List scrapers', response: { 200: shownScrapers } },
      },
      async () => parts.scrapers.shown(),
    )
  },
}
