// Fake browsers for tests of the browser pool: they open contexts, log calls, and die if a test asks for it.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ContextOptions, DrivenContext, LaunchedBrowser } from '../../src/fetch/browser/driver.ts'
import type { EgressProxy } from '../../src/fetch/browser/egress/egress-proxy.ts'
import { BrowserPool, type PoolOptions, type SeatRequest } from '../../src/fetch/browser/pool/pool.ts'
import { defaultLimits } from '../../src/fetch/browser/pool/retirement.ts'
import type { StorageState } from '../../src/model/policy/rendering.ts'
import { plainIdentity } from './browser.ts'
import { patienceMs } from './eventually.ts'

export class FakeContext {
  readonly browser: FakeBrowser
  readonly options: ContextOptions
  isClosed = false
  cleared = 0
  /** While this is true, no call of the browser returns. */
  hangs = false
  kept: StorageState = { cookies: [], origins: [] }

  constructor(browser: FakeBrowser, options: ContextOptions) {
    this.browser = browser
    this.options = options
  }

  get driven(): DrivenContext {
    const answer = async (work: () => void) => (this.hangs ? new Promise<void>(() => {}) : work())
    return {
      load: () => Promise.reject(new Error('not part of this test')),
      evidence: async () => [],
      state: async () => this.kept,
      clear: () => answer(() => void this.cleared++),
      closePage: () => answer(() => {}),
      close: () =>
        answer(() => {
          this.isClosed = true
        }),
    }
  }
}

export class FakeBrowser {
  /** A pid that no real process has, so nothing is killed. */
  readonly pid = 2 ** 30
  readonly contexts: FakeContext[] = []
  readonly #gone = Promise.withResolvers<void>()
  isClosed = false
  /** New contexts open only after this promise has resolved. */
  beforeContext: Promise<void> = Promise.resolve()

  get launched(): LaunchedBrowser {
    return {
      pid: this.pid,
      version: '1.2.3.4',
      gone: this.#gone.promise,
      openContext: async options => {
        const context = new FakeContext(this, options)
        this.contexts.push(context)
        await this.beforeContext
        return context.driven
      },
      close: async () => this.die(),
    }
  }

  die(): void {
    this.isClosed = true
    this.#gone.resolve()
  }
}

/** `before` delays the start of each browser. */
export function fakePool({
  before = async () => {},
  ...options
}: Partial<PoolOptions> & { before?: () => Promise<void> } = {}) {
  const browsers: FakeBrowser[] = []
  const pool = new BrowserPool({
    size: 4,
    contextsPerBrowser: 2,
    limits: defaultLimits,
    acquireMs: 10_000,
    idleMs: 60_000,
    watchMs: 60_000,
    launch: async () => {
      await before()
      const browser = new FakeBrowser()
      browsers.push(browser)
      return { launched: browser.launched, folder: await mkdtemp(join(tmpdir(), 'kscrape-fake-')) }
    },
    ...options,
  })
  return { pool, browsers }
}

export const seatRequest = (options: Partial<SeatRequest> = {}): SeatRequest => ({
  jobId: 'job',
  session: 'session',
  driver: 'cdp',
  isolation: 'session',
  keepsSitesApart: false,
  languages: [],
  identityFor: async version => plainIdentity('id', version),
  state: null,
  maxDownloadBytes: 0,
  openProxy: async () => noProxy,
  ...options,
})

const noProxy: EgressProxy = {
  port: 1,
  bytes: { received: 0, sent: 0 },
  failures: [],
  failureOf: () => null,
  beginTask: () => {},
  [Symbol.asyncDispose]: async () => {},
}

export const never = new AbortController().signal

/** Waits for background work to end; rejects if it does not. */
export async function until(isDone: () => boolean): Promise<void> {
  const endsAt = performance.now() + patienceMs
  while (!isDone()) {
    if (performance.now() > endsAt) throw new Error(`this state was never reached: ${isDone}`)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}
