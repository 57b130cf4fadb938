// Pages by browser: what the browser lane calls.
import type { Emit } from '../../model/events.ts'
import type { BrowserDriver } from './driver.ts'
import type { BrowserFetch, IdentityFor, OpenProxy } from './visit.ts'

export type * from './driver.ts'
export type * from './visit.ts'

export interface BrowserFetchOptions {
  /** SCRAPER_BROWSER_PATH */
  browserPath?: string
  /** SCRAPER_BROWSER_POOL_SIZE: pages open at a time. */
  poolSize: number | 'auto'
  openProxy: OpenProxy
  identityFor: IdentityFor
  emit: Emit
  /** Loaded when first used. `cdp` is our own; these are Playwright's and patchright's. */
  drivers: { playwright: () => Promise<BrowserDriver>; patchright: () => Promise<BrowserDriver> }
}

/** Starts nothing: the first `open` does. */
export type OpenBrowserFetch = (options: BrowserFetchOptions) => BrowserFetch
