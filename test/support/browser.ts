// Browsers for tests: a pool for the demo site, a function that loads a page, and a check that nothing is left over.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DemoSite, type DemoSiteOptions, startDemoSite } from '../../src/demo-site/index.ts'
import {
  type BrowserFetchOptions,
  openBrowserFetch,
  type RenderRequest,
} from '../../src/fetch/browser/index.ts'
import { allPids, commandLineOf } from '../../src/fetch/browser/pool/processes.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { browserPolicy, type Identity, rendering } from '../../src/model/policy/rendering.ts'
import { patienceMs } from './eventually.ts'

export { type DemoSite, startDemoSite, type Visit } from '../../src/demo-site/index.ts'

export const plainIdentity = (id: string, version: string): Identity => ({
  id,
  userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36`,
  headers: {},
  viewport: { width: 1280, height: 720, deviceScaleFactor: 1, isMobile: false, hasTouch: false },
  locale: 'en-GB',
  languages: ['en-GB', 'en'],
  timeZone: 'Europe/Berlin',
  geolocation: null,
  platform: 'Linux x86_64',
})

export type VisitOptions = Partial<Omit<RenderRequest, 'rendering' | 'policy'>> & {
  rendering?: Parameters<typeof rendering.parse>[0]
  policy?: object
}

export interface BrowserWithSite extends AsyncDisposable {
  site: DemoSite
  browsers: ReturnType<typeof openBrowserFetch>
  open(path: string, options?: VisitOptions): ReturnType<ReturnType<typeof openBrowserFetch>['open']>
  /** Existing browser folders, and the processes that use them. */
  leftBehind(): Promise<{ folders: string[]; processes: number[] }>
}

export async function browserWithSite(
  options: Partial<BrowserFetchOptions> = {},
  siteOptions: DemoSiteOptions = {},
  alsoAllowed: string[] = [],
): Promise<BrowserWithSite> {
  const site = await startDemoSite({ misbehave: true, ...siteOptions })
  const tempFolder = await mkdtemp(join(tmpdir(), 'kscrape-test-'))
  const browsers = openBrowserFetch({
    gate: new EgressGate({ allowPrivate: [`${site.host}:${site.port}`, ...alsoAllowed] }),
    places: {},
    poolSize: 4,
    drivers: {},
    emit: () => {},
    identityFor: async ({ session, version }) => plainIdentity(session, version),
    tempFolder,
    ...options,
  })
  const leftBehind = async () => {
    const folders = await readdir(tempFolder)
    return { folders, processes: allPids().filter(pid => commandLineOf(pid).includes(tempFolder)) }
  }
  return {
    site,
    browsers,
    leftBehind,
    open: (path, options = {}) =>
      browsers.open(requestOf(site, path, options), AbortSignal.timeout(patienceMs)),
    [Symbol.asyncDispose]: async () => {
      await browsers[Symbol.asyncDispose]()
      await site.close()
      await rm(tempFolder, { recursive: true, force: true })
    },
  }
}

function requestOf(site: DemoSite, path: string, options: VisitOptions): RenderRequest {
  return {
    jobId: 'job',
    url: path.startsWith('http') ? path : site.url + path,
    headers: {},
    browser: 'plain',
    session: 'session',
    userAgent: 'kscrape test',
    maxBytes: 5_000_000,
    state: null,
    why: 'test',
    before: async () => {},
    ...options,
    rendering: rendering.parse(options.rendering ?? {}),
    policy: browserPolicy.parse({ navigationMs: patienceMs, taskMs: patienceMs, ...options.policy }),
  }
}
