// A visible browser window in which a user logs in. Its final state becomes the session of later jobs.
import { tmpdir } from 'node:os'
import type { BrowserContext } from 'playwright-core'
import { asFailure, Failure } from '../../model/failures.ts'
import type { StorageState } from '../../model/policy/rendering.ts'
import type { EgressGate } from '../http/gate.ts'
import { openEgressProxy } from './egress/egress-proxy.ts'
import { browserMissing, findBrowser } from './pool/find-browser.ts'
import { launchFlags } from './pool/launch-flags.ts'
import { makeBrowserFolder, removeFolder } from './pool/profile-folders.ts'

interface VisibleOptions {
  gate: EgressGate
  /** Value of SCRAPER_BROWSER_PATH. */
  path?: string | undefined
  /** Environment variables of the window system, such as DISPLAY. */
  environment: Record<string, string>
  url: string
  /** State of an earlier login; null for a new login. */
  state: StorageState | null
}

interface VisibleBrowser extends AsyncDisposable {
  /** Resolves when the user has closed the last window. */
  closed: Promise<void>
  /** The current cookies and storage. After the window was closed, only the cookies that were read last. */
  state(): Promise<StorageState>
}

const launchMs = 30_000
/** Interval at which cookies are read, because the user may close the window at any time. */
const lookMs = 500

export async function openVisibleBrowser(options: VisibleOptions): Promise<VisibleBrowser> {
  await using opened = new AsyncDisposableStack()
  const proxy = opened.use(await openEgressProxy({ gate: options.gate }))
  const profileDir = opened.adopt(await makeBrowserFolder(tmpdir()), removeFolder)
  const browser = opened.adopt(await launch(options, profileDir), each => each.close())
  const context = await browser.newContext({
    proxy: { server: `http://127.0.0.1:${proxy.port}`, bypass: '<-loopback>' },
    viewport: null,
    serviceWorkers: 'block',
    ...(options.state && { storageState: options.state }),
  })
  const closed = lastWindowClosed(context)
  const seen = opened.use(new LastSeen(context))
  // Ignore errors: the user sees them in the window.
  const page = await context.newPage()
  void page.goto(options.url).catch(() => {})
  const owned = opened.move()
  return { closed, state: () => seen.state(), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function launch({ path, environment }: VisibleOptions, profileDir: string) {
  const found = await findBrowser({ path, wants: 'full' })
  if (found === null) throw browserMissing('full')
  const { chromium } = await import('playwright-core')
  const own = ['--remote-debugging-pipe', `--user-data-dir=${profileDir}`, '--no-startup-window']
  try {
    return await chromium.launch({
      executablePath: found.executablePath,
      ignoreDefaultArgs: true,
      args: [...launchFlags({ headless: false, isRoot: process.getuid?.() === 0 }), ...own],
      headless: false,
      env: { ...environment, HOME: profileDir },
      timeout: launchMs,
      artifactsDir: profileDir,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
  } catch (cause) {
    const why = asFailure(cause).message.split('\n', 1)[0]
    const message = `${found.executablePath} opened no window: ${why}; check that DISPLAY names a reachable display`
    throw new Failure('browser.not-started', message, { path: found.executablePath }, { cause })
  }
}

function lastWindowClosed(context: BrowserContext): Promise<void> {
  return new Promise(resolve => {
    context.once('close', () => resolve())
    context.on('page', page => page.once('close', () => context.pages().length === 0 && resolve()))
  })
}

/** The last known state. Cookies are polled, so that they are known after the window was closed. Storage is read only
 *  at the end, because reading it opens pages. */
class LastSeen implements Disposable {
  readonly #context: BrowserContext
  readonly #timer: NodeJS.Timeout
  #cookies: StorageState['cookies'] = []

  constructor(context: BrowserContext) {
    this.#context = context
    this.#timer = setInterval(() => void this.#look(), lookMs)
  }

  async #look(): Promise<void> {
    this.#cookies = await this.#context.cookies().catch(() => this.#cookies)
  }

  async state(): Promise<StorageState> {
    this[Symbol.dispose]()
    return this.#context.storageState().catch(() => ({ cookies: this.#cookies, origins: [] }))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
