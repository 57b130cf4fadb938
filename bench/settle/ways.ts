// Ways to load a page and to decide that it is complete: our pool with each driver, and Playwright's own waits.
import { chromium } from 'playwright-core'
import { openEgressProxy } from '../../src/fetch/browser/egress/egress-proxy.ts'
import { identityMaker } from '../../src/fetch/browser/identity/identity.ts'
import { languagesIn } from '../../src/fetch/browser/identity/identity-regions.ts'
import { openPatchrightDriver, openPlaywrightDriver } from '../../src/fetch/browser/playwright/driver.ts'
import { BrowserLauncher } from '../../src/fetch/browser/pool/browser-launcher.ts'
import { makeDownloadsFolder, removeFolder } from '../../src/fetch/browser/pool/profile-folders.ts'
import { EgressGate } from '../../src/fetch/http/gate.ts'
import { rendering } from '../../src/model/policy/rendering.ts'

export interface Loaded {
  html: string
  /** The reason why the wait ended; null if unknown. */
  settled: string | null
}

export type Load = (url: string) => Promise<Loaded>

/** A way to load pages, with several seats that each load one page at a time. */
export interface Way extends AsyncDisposable {
  seats: Load[]
}

export interface WayOptions {
  seats: number
  /** Address and port, like `127.0.0.1:1234`. */
  host: string
  executablePath: string
}

const limitMs = 15_000
const userAgent = 'kscrape/0.1.0 (+https://kscrape.example/bot)'

export const openWays: Record<string, (options: WayOptions) => Promise<Way>> = {
  kscrape: options => openOurs('cdp', options),
  'kscrape, stealth': options => openOurs('patchright', options),
  'Playwright load': options => openPlaywright('load', options),
  'Playwright networkidle': options => openPlaywright('networkidle', options),
}

async function openOurs(driver: 'cdp' | 'patchright', { seats, host }: WayOptions): Promise<Way> {
  await using opened = new AsyncDisposableStack()
  const gate = new EgressGate({ allowPrivate: [host] })
  const drivers = { playwright: openPlaywrightDriver, patchright: openPatchrightDriver }
  const launcher = new BrowserLauncher({ places: {}, drivers, emit: () => {} })
  const { launched, folder } = await launcher.launch({
    ...{ driver, keepsSitesApart: false },
    languages: driver === 'patchright' ? languagesIn(null) : [],
  })
  opened.defer(() => removeFolder(folder))
  opened.defer(() => launched.close())
  const browser = driver === 'patchright' ? 'stealth' : 'plain'
  const identity = await identityMaker({ userAgent })({
    ...{ browser, mobile: false, version: launched.version, region: null },
  })
  const loads: Load[] = []
  for (let seat = 0; seat < seats; seat++) {
    const proxy = opened.use(await openEgressProxy({ gate }))
    const context = await launched.openContext({
      ...{
        proxyPort: proxy.port,
        identity,
        state: null,
        maxDownloadBytes: 1_000_000,
        keepsSitesApart: false,
      },
      downloadsDir: await makeDownloadsFolder(folder),
    })
    loads.push(async url => {
      const request = { url, headers: {}, navigationMs: limitMs, settleMs: 10_000, maxBytes: 10_000_000 }
      const { html, settled } = await context.load(
        { ...request, rendering: rendering.parse({}) },
        AbortSignal.timeout(2 * limitMs),
      )
      return { html, settled }
    })
  }
  const all = opened.move()
  return { seats: loads, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

async function openPlaywright(
  waitUntil: 'load' | 'networkidle',
  { seats, executablePath }: WayOptions,
): Promise<Way> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const loads: Load[] = []
  for (let seat = 0; seat < seats; seat++) {
    const page = await (await browser.newContext()).newPage()
    loads.push(async url => {
      // If a page never becomes idle, it is parsed at the time limit.
      await page.goto(url, { waitUntil, timeout: limitMs }).catch(() => {})
      return { html: await page.content(), settled: null }
    })
  }
  return { seats: loads, [Symbol.asyncDispose]: () => browser.close() }
}
