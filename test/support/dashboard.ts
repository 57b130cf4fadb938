// The dashboard in a real browser. It is built once, and runs on a service with the demo site.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { build } from 'vite'
import type { SettingsInput } from '../../src/config/settings.ts'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import { browserMissing, findBrowser } from '../../src/fetch/browser/pool/find-browser.ts'
import { patienceMs } from './eventually.ts'
import { operatorKey, TestService } from './service.ts'

const root = join(import.meta.dirname, '../../dashboard')

/** Builds into a separate folder: two test runs may build at the same time, and the developer's `dist` stays unchanged. */
export async function buildDashboard(outDir: string): Promise<void> {
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  })
}

export interface ShownDashboard extends AsyncDisposable {
  folder: string
  site: DemoSite
  service: TestService
  browser: Browser
  /** A separate browser context, signed in with this key (default: the operator's). */
  signedIn(options?: SignInOptions): Promise<{ context: BrowserContext; page: Page }>
}

export interface SignInOptions {
  key?: string
  /** Another address under which the service is reached, for example that of a proxy. */
  url?: string
  context?: Parameters<Browser['newContext']>[0]
}

export interface DashboardOptions {
  settings?: SettingsInput
  folder?: string
  /** The data directory of an earlier service, to continue with its data. */
  dataFolder?: string
}

export async function showDashboard(options: DashboardOptions = {}): Promise<ShownDashboard> {
  await using opened = new AsyncDisposableStack()
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'kscrape-dashboard-')))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  if (!options.folder) await buildDashboard(folder)
  const site = await startDemoSite({ misbehave: true })
  opened.defer(() => site.close())
  const also = (options.settings?.allowPrivate ?? []) as string[]
  const allowPrivate = [`${site.host}:${site.port}`, ...also]
  const service = await TestService.open(
    { settings: { ...options.settings, allowPrivate } as SettingsInput, dashboardFolder: folder },
    options.dataFolder,
  )
  opened.use(service)
  const browser = await chromium.launch({
    executablePath: await browserPath(),
    args: ['--no-sandbox', '--disable-gpu'],
    timeout: patienceMs,
  })
  opened.defer(() => browser.close())
  const all = opened.move()
  return {
    ...{ folder, site, service, browser },
    signedIn: options => signedIn(browser, service.url, options),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function browserPath(): Promise<string> {
  const found = await findBrowser({ wants: 'full' })
  if (!found) throw browserMissing('full')
  return found.executablePath
}

async function signedIn(
  browser: Browser,
  url: string,
  { key = operatorKey, url: by = url, context: contextOptions }: SignInOptions = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...contextOptions })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  await page.goto(by)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('nav').waitFor({ state: 'attached' })
  return { context, page }
}

/** Resolves when no part of the page is still loading. */
export async function settled(page: Page): Promise<void> {
  const loading = page.locator('.loading')
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' })
}
