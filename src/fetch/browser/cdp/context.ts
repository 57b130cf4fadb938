// One browser context over CDP: its tab, its cookies and storage, its downloads.
import { Failure } from '../../../model/failures.ts'
import type { Artifact, LivePage, StorageState } from '../../../model/policy/rendering.ts'
import { limitOf, limitWithin, raced } from '../bounded.ts'
import type {
  ContextOptions,
  DrivenContext,
  EvidenceKinds,
  LoadedPage,
  LoadRequest,
  ShownPage,
} from '../driver.ts'
import { capture, collectEvidence } from './capture.ts'
import type { Connection, Session } from './connection.ts'
import { Downloads } from './downloads.ts'
import { emulate, emulateInFrame, furtherHeaders } from './emulation.ts'
import { initScript, type ReadPage } from './page-scripts.ts'
import { PageWatch } from './page-watch.ts'
import { RequestGuard } from './request-guard.ts'
import { trackerScript } from './settle-scripts.ts'
import { ContextStorage } from './storage.ts'
import { scrollTimes, Tab } from './tab.ts'
import {
  attendFrames,
  attendWorkers,
  blockUrls,
  enableNetwork,
  type FrameParts,
  type TabWithFrames,
} from './tab-frames.ts'

interface ContextParts {
  connection: Connection
  browserContextId: string
  options: ContextOptions
}

const blankAfterMs = 50

export class CdpContext implements DrivenContext {
  readonly #parts: ContextParts
  readonly #storage: ContextStorage
  readonly #downloads: Downloads
  #open: Promise<TabWithFrames> | null = null
  #tab: Tab | null = null
  #isClosed = false
  #blankSoon: NodeJS.Timeout | undefined
  readonly #closed = Promise.withResolvers<void>()

  constructor(parts: ContextParts) {
    const { connection, browserContextId, options } = parts
    this.#parts = parts
    this.#storage = new ContextStorage(connection.browser, browserContextId, options.state)
    this.#downloads = new Downloads({
      browser: connection.browser,
      browserContextId,
      folder: options.downloadsDir,
      maxBytes: options.maxDownloadBytes,
      isOurs: frameId => this.#tab?.watch.hasFrame(frameId) ?? false,
    })
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /** Opens the tab early, so that the first load need not wait for it. */
  async prepare(): Promise<void> {
    const { connection, browserContextId, options } = this.#parts
    const granted = options.identity.geolocation === null ? [] : ['geolocation']
    await Promise.all([
      connection.browser.send('Browser.grantPermissions', { permissions: granted, browserContextId }),
      this.#downloads.allow(),
      this.#storage.restoreCookies(),
      this.#usableTab(),
    ])
  }

  targetCrashed(targetId: string, failure: Failure): void {
    if (this.#tab?.targetId === targetId) this.#tab.watch.fail(failure)
  }

  gone(failure: Failure): void {
    this.#tab?.watch.fail(failure)
  }

  async load(request: LoadRequest, signal: AbortSignal): Promise<LoadedPage> {
    clearTimeout(this.#blankSoon)
    const open = await raced(this.#usableTab(), signal)
    const { tab, guard } = open
    tab.watch.begin({ maxBytes: request.maxBytes })
    this.#downloads.begin()
    const ready = [
      guard.begin(request),
      tab.recorder.begin(request.archive ?? null),
      blockUrls(open, request.rendering.block),
      ...(request.archive ? [attendWorkers(open, this.#frameParts)] : []),
      this.#storage.add(request.cookies ?? []),
    ]
    await raced(Promise.all(ready), signal)
    const sentAt = Date.now()
    const page = await this.#visit(tab, request, signal)
    const parts = await tab.loadedParts(signal)
    return { ...page, parts, sentAt, endedAt: Date.now(), live: liveOf(tab, request, signal) }
  }

  async #visit(tab: Tab, request: LoadRequest, signal: AbortSignal) {
    using limit = limitWithin(signal, request.navigationMs, navigationTimeout(request))
    const inTime = limit.signal
    const arrival = await tab.navigate(request.url, inTime)
    if (arrival === 'download')
      return { ...answered(tab), downloads: [await raced(this.#downloads.first(), inTime)] }
    if (arrival === 'nothing') return answered(tab)
    const { settled, read } = await tab.settleAndRead(request, inTime)
    return { ...(await this.#take(tab, request, read, signal)), settled }
  }

  /** Scrolls, evaluates, takes screenshots and reads, in this order, so that each step sees the effects of the previous
   *  one. */
  async #take(tab: Tab, request: LoadRequest, already: ReadPage | null, signal: AbortSignal) {
    const { scroll } = request.rendering
    if (scroll !== false) {
      await tab.scroll({ times: scrollTimes(scroll), timeoutMs: request.navigationMs }, signal)
    }
    const captured = await capture(tab, request, signal)
    const read = already ?? (await tab.read(request.maxBytes, signal))
    // Take the response of the page before the downloads are awaited, because the page may navigate meanwhile.
    const answer = answered(tab)
    this.#storage.note(read)
    const files = await raced(this.#downloads.all(), signal)
    return { ...answer, ...ofRead(read), ...captured, ...files }
  }

  async evidence(kinds: EvidenceKinds, timeoutMs: number): Promise<Artifact[]> {
    return this.#tab === null ? [] : collectEvidence(this.#tab, kinds, timeoutMs)
  }

  shown(): ShownPage | null {
    return this.#tab && shownPage(this.#tab)
  }

  async state(): Promise<StorageState> {
    using limit = limitOf(2_000, new Error('too late'))
    const read = await this.#tab?.markup(limit.signal).catch(() => null)
    if (read) this.#storage.note(read)
    return this.#storage.read()
  }

  /** Clears the context for the next page. Rejects if the page no longer responds. Without `storage`, the page stays
   *  open until the next load, at most for a short time. Meanwhile its pending requests fill the cache, so the next
   *  page need not send them again. */
  async clear({ storage }: { storage: boolean }): Promise<void> {
    const session = this.#tab?.session
    if (session === undefined) return
    await session.send('Runtime.evaluate', { expression: '0', returnByValue: true })
    const blank = () => session.send('Page.navigate', { url: 'about:blank' })
    if (storage) await blank().then(() => this.#storage.clear(session))
    else this.#blankSoon = setTimeout(() => blank().catch(() => {}), blankAfterMs)
  }

  async closePage(): Promise<void> {
    clearTimeout(this.#blankSoon)
    const tab = this.#tab
    this.#tab = this.#open = null
    if (tab !== null)
      await this.#parts.connection.browser.send('Target.closeTarget', { targetId: tab.targetId })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    clearTimeout(this.#blankSoon)
    this.#isClosed = true
    this.#closed.resolve()
    this.#downloads.close()
    const { connection, browserContextId } = this.#parts
    await connection.browser.send('Target.disposeBrowserContext', { browserContextId })
  }

  #usableTab(): Promise<TabWithFrames> {
    this.#open ??= this.#openTab()
    return this.#open
  }

  async #openTab(): Promise<TabWithFrames> {
    const { connection, browserContextId, options } = this.#parts
    const { targetId } = await connection.browser.send('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
    })
    const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true })
    const session = connection.session(sessionId)
    const tab = new Tab(targetId, session, new PageWatch(session, targetId))
    this.#tab = tab
    await Promise.all([
      ...enable(session),
      emulate(session, options.identity),
      this.#storage.restoreInto(session),
    ])
    const guard = new RequestGuard({
      ...{ session, frameId: targetId, always: furtherHeaders(options.identity) },
      refused: failure => tab.watch.fail(failure),
    })
    const open: TabWithFrames = { tab, guard, frames: null, blocked: [] }
    if (options.keepsSitesApart) await attendFrames(open, this.#frameParts)
    return open
  }

  get #frameParts(): FrameParts {
    const { connection, options } = this.#parts
    const prepare = (frame: Session) =>
      Promise.all([...quietly(frame), emulateInFrame(frame, options.identity)])
    return { connection, prepare }
  }
}

/** Disables service workers, which could send requests in the background. */
const quietly = (session: Session): Array<Promise<unknown>> => [
  session.send('Network.setBypassServiceWorker', { bypass: true }),
  session.send('Page.addScriptToEvaluateOnNewDocument', { source: initScript }),
]

const enable = (session: Session): Array<Promise<unknown>> => [
  ...enableNetwork(session),
  ...quietly(session),
  session.send('Runtime.enable'),
  session.send('Page.addScriptToEvaluateOnNewDocument', { source: trackerScript }),
]

export const shownPage = ({ session, watch }: Tab): ShownPage => ({
  url: watch.shown.url,
  console: watch.console,
  send: (method, params) => session.send(method as 'Page.navigate', params as never),
})

/** The page as scripts of the job see it. */
export const liveOf = (tab: Tab, { maxBytes }: LoadRequest, signal: AbortSignal): LivePage => ({
  waitFor: (selector, timeoutMs) => tab.waitFor(selector, timeoutMs, signal),
  scroll: options => tab.scroll(options, signal),
  html: async () => (await tab.read(maxBytes, signal)).text,
})

/** The response and the recorded events of the page, without a call to the browser. */
export function answered({ watch }: Tab) {
  const { url: finalUrl, status, headers, requestHeaders, hops } = watch.shown
  const { console, network } = watch
  const known = { finalUrl, status, headers, requestHeaders, hops, console, network }
  const nothing = {
    html: '',
    settled: null,
    screenshot: null,
    pdf: null,
    value: null,
    downloads: [],
    notKept: [],
  }
  return { ...nothing, ...known } satisfies Partial<LoadedPage>
}

const ofRead = ({ url, text }: ReadPage) => ({ finalUrl: url, html: text })

export const navigationTimeout = ({ url, navigationMs, rendering }: LoadRequest) =>
  new Failure(
    'fetch.timeout',
    `${url} was not ready after ${navigationMs} ms${typeof rendering.waitFor === 'string' ? ` (waiting for ${rendering.waitFor})` : ''}; raise navigation_ms in the browser policy`,
    { url, navigationMs },
  )
