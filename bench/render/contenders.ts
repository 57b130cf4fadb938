// The programs in the comparison, and the speed that kscrape must reach relative to them.

export interface Contender {
  name: string
  /** The script in bench/peers. Its arguments are origin, output, number of pages and the browser's path. */
  script: string
  more: string[]
}

export const names = {
  ours: 'kscrape',
  newContext: 'Playwright, new context per page',
  reusedPage: 'Playwright, one reused page per worker',
  crawlee: 'Crawlee PlaywrightCrawler',
} as const

export const contenders: Contender[] = [
  { name: names.ours, script: 'kscrape-browser.mjs', more: ['auto'] },
  { name: names.newContext, script: 'playwright-loop.mjs', more: ['new-context'] },
  { name: names.reusedPage, script: 'playwright-loop.mjs', more: ['reused-page'] },
  { name: names.crawlee, script: 'crawlee-playwright.mjs', more: [] },
]

/** The required ratios, in pages/s of the same run. */
export const ratios: Array<{ to: string; atLeast: number }> = [
  { to: names.newContext, atLeast: 4 },
  { to: names.reusedPage, atLeast: 2 },
  { to: names.crawlee, atLeast: 5 },
]

/** The required minimum: 10 pages/s on 4 vCPU. */
export const floorPagesPerSecond = 10
