// A browser context in a real Chromium behind the proxy of the egress gate, for tests of actions.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ActionParts, ActionPlan, Performed } from '../../src/fetch/actions/action-types.ts'
import { performActions } from '../../src/fetch/actions/perform-actions.ts'
import type { BrowserDriver, DrivenContext, LoadedPage, LoadRequest } from '../../src/fetch/browser/driver.ts'
import { openEgressProxy } from '../../src/fetch/browser/egress/egress-proxy.ts'
import { openPlaywrightDriver } from '../../src/fetch/browser/playwright/driver.ts'
import { findBrowser } from '../../src/fetch/browser/pool/find-browser.ts'
import { launchFlags } from '../../src/fetch/browser/pool/launch-flags.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { Redactor } from '../../src/lib/secrets/redactor.ts'
import { actions as actionsSchema } from '../../src/model/page/actions.ts'
import { type Identity, rendering, type StorageState } from '../../src/model/policy/rendering.ts'
import { patienceMs } from './eventually.ts'

export const someone: Identity = {
  id: 'someone',
  userAgent:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  headers: { 'sec-ch-ua': '"Chromium";v="156", "Not=A?Brand";v="8"', 'sec-ch-ua-platform': '"Linux"' },
  viewport: { width: 1_280, height: 800, deviceScaleFactor: 1, isMobile: false, hasTouch: false },
  locale: 'de-DE',
  languages: ['de-DE', 'de'],
  timeZone: 'Europe/Berlin',
  geolocation: null,
  platform: 'Linux x86_64',
}

export interface DrivenBrowser extends AsyncDisposable {
  readonly pid: number
  openContext(options?: { state?: StorageState; maxDownloadBytes?: number }): Promise<DrivenContext>
}

/** The browser can reach only addresses in `allowPrivate`. */
export async function openDrivenBrowser(
  allowPrivate: string[],
  open: () => Promise<BrowserDriver> = openPlaywrightDriver,
): Promise<DrivenBrowser> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-test-'))
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const proxy = opened.use(
    await openEgressProxy({ gate: new EgressGate({ allowPrivate }), before: async () => {} }),
  )
  const found = await findBrowser({ wants: 'full' })
  if (!found) throw new Error('these tests need a Chromium: kscrape doctor --fix')
  const driver = await open()
  const browser = await driver.launch({
    executablePath: found.executablePath,
    args: launchFlags({ headless: true, isRoot: process.getuid?.() === 0 }),
    profileDir: join(folder, 'profile'),
    headless: true,
    env: found.env ?? {},
    timeoutMs: patienceMs,
  })
  opened.defer(() => browser.close())
  const moved = opened.move()
  return {
    pid: browser.pid,
    openContext: ({ state = null, maxDownloadBytes = 1_000_000 } = {} as never) =>
      browser.openContext({
        proxyPort: proxy.port,
        identity: someone,
        state,
        downloadsDir: folder,
        maxDownloadBytes,
        keepsSitesApart: false,
      }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

export const loadRequest = (url: string, given: Partial<LoadRequest> = {}): LoadRequest => ({
  url,
  headers: {},
  navigationMs: patienceMs,
  settleMs: patienceMs,
  rendering: rendering.parse({}),
  maxBytes: 10_000_000,
  ...given,
})

export interface Acted {
  page: LoadedPage
  performed: Performed
  redactor: Redactor
}

export const noSecrets: ActionParts['secrets'] = { get: async () => null, names: async () => [] }

/** Loads a page and runs actions in it, as the browser lane does. */
export async function act(
  context: DrivenContext,
  url: string,
  given: unknown,
  options: {
    plan?: Partial<ActionPlan>
    parts?: Partial<ActionParts>
    load?: Partial<LoadRequest>
    signal?: AbortSignal
  } = {},
): Promise<Acted> {
  const redactor = new Redactor()
  const plan: ActionPlan = {
    url,
    actions: actionsSchema.parse(given),
    row: {},
    navigationMs: patienceMs,
    actionDelayMs: null,
    ...options.plan,
  }
  const parts: Omit<ActionParts, 'downloadKept'> = {
    secrets: noSecrets,
    redactor,
    extract: () => [],
    ...options.parts,
  }
  let performed: Performed | undefined
  const page = await context.load(
    loadRequest(url, {
      ...options.load,
      act: async (page, signal, downloadKept) => {
        performed = await performActions(page, plan, { ...parts, downloadKept }, signal)
      },
    }),
    options.signal ?? AbortSignal.timeout(patienceMs),
  )
  return { page, performed: performed!, redactor: parts.redactor }
}
