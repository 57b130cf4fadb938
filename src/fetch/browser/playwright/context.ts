// A browser context of Playwright. It uses one tab, limits pop-ups, and sends all traffic through its egress proxy.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { Failure } from '../../../model/failures.ts'
import type { Artifact, Identity, StorageState } from '../../../model/policy/rendering.ts'
import type { Settled } from '../../../model/policy/way.ts'
import { doneWithin, limitWithin, raced } from '../bounded.ts'
import { capture, collectEvidence } from '../cdp/capture.ts'
import { answered, liveOf, navigationTimeout, shownPage } from '../cdp/context.ts'
import { furtherHeaders, hiddenUserAgentOf, userAgentOf } from '../cdp/emulation.ts'
import { RequestGuard } from '../cdp/request-guard.ts'
import { type Arrival, scrollTimes, type Tab } from '../cdp/tab.ts'
import {
  attendFrames,
  attendWorkers,
  blockUrls,
  type FrameParts,
  type TabWithFrames,
} from '../cdp/tab-frames.ts'
import type {
  Act,
  ContextOptions,
  DrivenContext,
  EvidenceKinds,
  LoadedPage,
  LoadRequest,
  ShownPage,
} from '../driver.ts'
import { disguise, setUserAgent } from './disguise.ts'
import { Downloads } from './downloads.ts'
import type { PopupGuard } from './popup-guard.ts'
import { openTab } from './session.ts'

/** Frames need no preparation by this driver, because Playwright prepares them itself. */
const frameParts: FrameParts = { connection: null, prepare: async () => {} }
/** Maximum number of windows: one tab and two pop-ups. Further windows are closed. */
const maxPages = 3
const closeWithinMs = 2_000

/** A Playwright page with our objects for it. They are discarded together. */
interface OpenPage extends TabWithFrames {
  page: Page
}

interface PlaywrightParts {
  browser: Browser
  popups: PopupGuard
  options: ContextOptions
  /** True if pages must not detect automation (stealth). */
  isHidden: boolean
}

export class PlaywrightContext implements DrivenContext {
  readonly #browser: Browser
  readonly #popups: PopupGuard
  readonly #options: ContextOptions
  readonly #isHidden: boolean
  #context: BrowserContext
  #open: OpenPage | null = null
  #downloads: Downloads
  #isTracing = false

  static async open(parts: PlaywrightParts): Promise<PlaywrightContext> {
    const { browser, options } = parts
    return new PlaywrightContext(parts, await newContext(browser, options, options.state))
  }

  private constructor({ browser, popups, options, isHidden }: PlaywrightParts, context: BrowserContext) {
    this.#browser = browser
    this.#popups = popups
    this.#options = options
    this.#isHidden = isHidden
    this.#context = context
    this.#downloads = this.#newDownloads()
    this.#attend(context)
  }

  async load(request: LoadRequest, signal: AbortSignal): Promise<LoadedPage> {
    const down = new AbortController()
    const end = () => down.abort(wentDown())
    this.#browser.once('disconnected', end)
    try {
      return await this.#load(request, AbortSignal.any([signal, down.signal]))
    } catch (error) {
      throw error instanceof Failure || this.#browser.isConnected() ? error : wentDown()
    } finally {
      this.#browser.off('disconnected', end)
    }
  }

  async #load(request: LoadRequest, signal: AbortSignal): Promise<LoadedPage> {
    const open = await raced(this.#page(), signal)
    const { page, tab, guard } = open
    await raced(this.#begin(open, request), signal)
    const sentAt = Date.now()
    const { arrival, settled } = await this.#arrive(tab, request, signal)
    if (request.act) await raced(this.#act(request.act, { page, tab, guard }, signal), signal)
    const isRead = arrival === 'document' || request.act !== undefined
    const taken = isRead ? await take(tab, request, signal) : nothing
    // Take the response of the page before the downloads are awaited, because the page may navigate meanwhile.
    const answer = answered(tab)
    const files = await raced(this.#downloads.all(), signal)
    const parts = await tab.loadedParts(signal)
    return {
      ...answer,
      parts,
      ...taken,
      ...files,
      settled,
      sentAt,
      endedAt: Date.now(),
      live: liveOf(tab, request, signal),
    }
  }

  async #act(
    act: Act,
    { page, tab, guard }: Pick<OpenPage, 'page' | 'tab' | 'guard'>,
    signal: AbortSignal,
  ): Promise<void> {
    tab.watch.isLed = guard.isLed = true
    const downloads = this.#downloads
    await act(page, signal, download => downloads.kept(download))
    guard.isLed = false
  }

  async evidence(kinds: EvidenceKinds, timeoutMs: number): Promise<Artifact[]> {
    if (!this.#open) return []
    const trace = kinds.includes('trace') ? this.#takeTrace(timeoutMs) : []
    return [...(await collectEvidence(this.#open.tab, kinds, timeoutMs)), ...(await trace)]
  }

  async state(): Promise<StorageState> {
    return this.#context.storageState()
  }

  /** Closes the page. With `storage`, a new context without cookies and storage replaces the old one. */
  async clear({ storage }: { storage: boolean }): Promise<void> {
    await this.closePage()
    if (!storage) return
    const old = this.#context
    this.#context = await newContext(this.#browser, this.#options, null)
    this.#attend(this.#context)
    await doneWithin(closeWithinMs, old.close())
  }

  shown(): ShownPage | null {
    return this.#open && shownPage(this.#open.tab)
  }

  async closePage(): Promise<void> {
    this.#open = null
    const pages = this.#context.pages()
    await Promise.all(pages.map(page => doneWithin(closeWithinMs, page.close({ runBeforeUnload: false }))))
  }

  close(): Promise<void> {
    this.#open = null
    return this.#context.close()
  }

  #attend(context: BrowserContext): void {
    context.on('page', page => {
      // `PageWatch` handles the dialogs of the tab. This listener stops Playwright from handling them first, which
      // would block navigations.
      page.on('dialog', dialog => {
        if (page !== this.#open?.page) dialog.dismiss().catch(() => {})
      })
      page.on('download', download => this.#downloads.take(download))
      if (context.pages().length > maxPages) page.close().catch(() => {})
    })
  }

  async #page(): Promise<OpenPage> {
    if (this.#open && !this.#open.page.isClosed()) return this.#open
    const page = await this.#context.newPage()
    const tab = await openTab(page, this.#isHidden)
    const { identity } = this.#options
    const userAgent = this.#isHidden ? hiddenUserAgentOf(identity) : userAgentOf(identity)
    await tab.session.send('Emulation.setUserAgentOverride', userAgent)
    await setUserAgent(page, userAgent)
    if (this.#isHidden) await disguise(page, identity)
    const guard = new RequestGuard({
      ...{ session: tab.session, frameId: tab.targetId, always: furtherHeaders(identity) },
      refused: failure => tab.watch.fail(failure),
    })
    this.#popups.attend(tab.targetId, guard.mayOpen)
    this.#open = { page, tab, guard, frames: null, blocked: [] }
    if (this.#options.keepsSitesApart) await attendFrames(this.#open, frameParts)
    return this.#open
  }

  async #begin(open: OpenPage, request: LoadRequest): Promise<void> {
    const { tab, guard } = open
    const { maxBytes, rendering, trace } = request
    this.#downloads = this.#newDownloads()
    tab.watch.begin({ maxBytes })
    await tab.recorder.begin(request.archive ?? null)
    if (request.archive) await attendWorkers(open, frameParts)
    await guard.begin(request)
    if (request.cookies) await this.#context.addCookies(request.cookies)
    await blockUrls(open, rendering.block)
    if (this.#isTracing) await this.#endTrace()
    if (trace) await this.#context.tracing.start({ screenshots: true, snapshots: true })
    this.#isTracing = trace ?? false
  }

  #newDownloads(): Downloads {
    const { downloadsDir: dir, maxDownloadBytes: maxBytes } = this.#options
    return new Downloads({ dir, maxBytes })
  }

  async #takeTrace(timeoutMs: number): Promise<Artifact[]> {
    if (!this.#isTracing) return []
    const path = join(this.#options.downloadsDir, 'trace.zip')
    if (!(await doneWithin(timeoutMs, this.#endTrace(path)))) return []
    const bytes = await readFile(path)
    await rm(path, { force: true })
    return [{ name: 'trace', fileName: 'trace.zip', type: 'application/zip', bytes }]
  }

  async #endTrace(path?: string): Promise<void> {
    this.#isTracing = false
    await this.#context.tracing.stop(path === undefined ? {} : { path })
  }

  /** Limits the navigation by `navigationMs`, within the deadline of the task. */
  async #arrive(
    tab: Tab,
    request: LoadRequest,
    signal: AbortSignal,
  ): Promise<{ arrival: Arrival; settled: Settled | null }> {
    using limit = limitWithin(signal, request.navigationMs, navigationTimeout(request))
    const inTime = limit.signal
    const arrival = await tab.navigate(request.url, inTime)
    if (arrival === 'download') await raced(this.#downloads.first(), inTime)
    return { arrival, settled: arrival === 'document' ? await tab.settle(request, inTime) : null }
  }
}

const wentDown = () => new Failure('browser.crashed', 'The browser crashed', { scope: 'browser' })

const nothing = { html: '', screenshot: null, pdf: null, value: null }

/** Scrolls, evaluates, takes screenshots and reads, in this order, so that each step sees the effects of the previous
 *  one. */
async function take(tab: Tab, request: LoadRequest, signal: AbortSignal) {
  const { rendering, navigationMs: timeoutMs, maxBytes } = request
  if (rendering.scroll !== false)
    await tab.scroll({ times: scrollTimes(rendering.scroll), timeoutMs }, signal)
  const captured = await capture(tab, request, signal)
  const { url: finalUrl, text: html } = await tab.read(maxBytes, signal)
  return { ...captured, finalUrl, html }
}

function newContext(
  browser: Browser,
  { proxyPort, identity }: ContextOptions,
  state: StorageState | null,
): Promise<BrowserContext> {
  return browser.newContext({
    proxy: { server: `http://127.0.0.1:${proxyPort}`, bypass: '<-loopback>' },
    ...emulationOf(identity),
    ...(state && { storageState: state }),
    serviceWorkers: 'block',
    // The list is explicit, so that no other permission is granted.
    permissions: identity.geolocation ? ['geolocation'] : [],
    acceptDownloads: true,
  })
}

function emulationOf({ userAgent, viewport, screen, locale, timeZone, geolocation }: Identity) {
  const { width, height, deviceScaleFactor, isMobile, hasTouch } = viewport
  return {
    userAgent,
    viewport: { width, height },
    screen: screen ?? { width, height },
    deviceScaleFactor,
    isMobile,
    hasTouch,
    locale,
    timezoneId: timeZone,
    ...(geolocation && { geolocation }),
  }
}
