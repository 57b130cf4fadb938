// Scrapers and sessions of a service, which jobs can name.
export interface ScrapersShown {
  scrapers: Array<{
    scraperId: string
    version: string
    name: string
    description: string
    kind: 'code' | 'rules'
  }>
  /** Scraper files that could not be loaded. */
  broken: Array<{ file: string; message: string }>
}

export interface SessionShown {
  name: string
  savedAt: string
  cookies: number
  domains: string[]
  origins: number
}
