// A real browser behind the proxy of the egress gate, started as the pool starts it. Tests can access the proxy.

import type { LoadedPage } from '../../src/fetch/browser/driver.ts'
import { type EgressProxy, openEgressProxy } from '../../src/fetch/browser/egress/egress-proxy.ts'
import { identityMaker } from '../../src/fetch/browser/identity/identity.ts'
import { languagesIn } from '../../src/fetch/browser/identity/identity-regions.ts'
import { openPatchrightDriver, openPlaywrightDriver } from '../../src/fetch/browser/playwright/driver.ts'
import { BrowserLauncher } from '../../src/fetch/browser/pool/browser-launcher.ts'
import type { DriverName } from '../../src/fetch/browser/pool/pooled-browser.ts'
import { makeDownloadsFolder, removeFolder } from '../../src/fetch/browser/pool/profile-folders.ts'
import type { EgressGate } from '../../src/fetch/http/gate.ts'
import { type Identity, rendering } from '../../src/model/policy/rendering.ts'
import { patienceMs } from './eventually.ts'

export const ourUserAgent = 'kscrape/0.1.0 (+https://scrape.example/bot)'

export interface GuardedBrowserOptions {
  gate: EgressGate
  driver: DriverName
  mobile?: boolean | string
  region?: string
  keepsSitesApart?: boolean
}

export interface GuardedBrowser extends AsyncDisposable {
  readonly pid: number
  readonly proxy: EgressProxy
  readonly identity: Identity
  load(
    url: string,
    more?: Parameters<typeof rendering.parse>[0],
    headers?: Record<string, string>,
  ): Promise<LoadedPage>
}

const drivers = { playwright: openPlaywrightDriver, patchright: openPatchrightDriver }

export async function openGuardedBrowser(options: GuardedBrowserOptions): Promise<GuardedBrowser> {
  await using opened = new AsyncDisposableStack()
  const proxy = opened.use(await openEgressProxy({ gate: options.gate }))
  const launcher = new BrowserLauncher({ places: {}, drivers, emit: () => {} })
  const { launched, folder } = await launcher.launch({
    driver: options.driver,
    keepsSitesApart: options.keepsSitesApart ?? false,
    languages: options.driver === 'patchright' ? languagesIn(options.region ?? null) : [],
  })
  opened.defer(() => removeFolder(folder))
  opened.defer(() => launched.close())
  const identity = await identityOf(options, launched.version)
  const context = await launched.openContext({
    proxyPort: proxy.port,
    identity,
    state: null,
    downloadsDir: await makeDownloadsFolder(folder),
    maxDownloadBytes: 1_000_000,
    keepsSitesApart: options.keepsSitesApart ?? false,
  })
  const moved = opened.move()
  return {
    ...{ pid: launched.pid, proxy, identity },
    load: (url, more = {}, headers = {}) => {
      const request = {
        ...{ url, headers },
        navigationMs: patienceMs,
        settleMs: patienceMs,
        maxBytes: 10_000_000,
        rendering: rendering.parse(more),
      }
      // As in the pool, a page that failed is not used again, so that the crash of one page fails only one test.
      return context.load(request, AbortSignal.timeout(patienceMs)).catch(async error => {
        await context.closePage()
        throw error
      })
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

function identityOf(
  { driver, mobile = false, region }: GuardedBrowserOptions,
  version: string,
): Promise<Identity> {
  const browser = driver === 'patchright' ? 'stealth' : 'plain'
  return identityMaker({ userAgent: ourUserAgent })({ browser, mobile, version, region: region ?? null })
}
