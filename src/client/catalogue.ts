// What a service has for jobs to name: scrapers and sessions.
export interface ScrapersShown {
  scrapers: Array<{
    scraperId: string
    version: string
    name: string
    description: string
    kind: 'code' | 'rules'
  }>
  /** Files that could not be loaded. */
  broken: Array<{ file: string; message: string }>
}

export interface SessionShown {
  name: string
  savedAt: string
  cookies: number
  domains: string[]
  origins: number
}
