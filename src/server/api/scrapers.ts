// The scrapers API: which scrapers a job can name.
import { shownScrapers } from '../../model/api/operations.ts'
import type { RouteGroup } from '../app.ts'

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
