// The state of a tab, derived from its events: loading progress, requests in flight, failures.
import { Failure } from '../../../model/failures.ts'
import type { NetworkEntry } from '../driver.ts'
import type { Session } from './connection.ts'
import { MainDocument } from './main-document.ts'
import type { EventOf } from './protocol.ts'

const maxEntries = 500
const maxConsoleLines = 200
const maxLineLength = 500
/** A page that navigates more often than this never settles. */
const maxNavigations = 20
/** Maximum number of dialogs that are answered per page. The next dialog stays open and blocks the page, so that a loop
 *  of dialogs uses no CPU. */
const maxDialogs = 20

/** Types of requests that stay open indefinitely. The page is ready without them. */
const openEnded = new Set(['EventSource', 'WebSocket', 'Ping', 'Prefetch', 'CSPViolationReport'])

const aborted = 'net::ERR_ABORTED'

interface Waiter {
  isDone: () => boolean
  resolve: () => void
  reject: (failure: Failure) => void
}

export class PageWatch {
  readonly #session: Session
  readonly #frameId: string
  /** The resource type of each request in flight, by request id. */
  readonly #inFlight = new Map<string, string>()
  /** Sessions of frames in other processes, by the id of each request that they reported. */
  readonly #ofFrames = new Map<string, Session>()
  readonly #entries = new Map<string, NetworkEntry>()
  readonly #frames = new Set<string>()
  #waiters: Waiter[] = []
  #failure: Failure | null = null
  #broken = unheard()
  #dialogs = 0
  #navigations = 0
  #maxBytes = 0
  #shown: MainDocument | null = null
  /** Headers of a request whose main event has not arrived yet. */
  #early: EventOf<'Network.requestWillBeSentExtraInfo'> = { requestId: '', headers: {} }
  document = new MainDocument()
  console: string[] = []
  hasDomContent = false
  hasLoaded = false
  /** True if steps control the tab during this load. The number of navigations is then not limited. */
  isLed = false
  /** Incremented when a request starts, receives data or ends. While the value stays the same, the network is quiet. */
  activity = 0

  constructor(session: Session, frameId: string) {
    this.#session = session
    this.#frameId = frameId
    this.#listen()
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Number of requests in flight of these resource types. */
  inFlightOf(types: ReadonlySet<string>): number {
    return this.#inFlight.values().reduce((count, type) => count + Number(types.has(type)), 0)
  }

  get network(): NetworkEntry[] {
    return [...this.#entries.values()]
  }

  /** The document that the tab shows. The next one may already be loading. */
  get shown(): MainDocument {
    return this.#shown ?? this.document
  }

  /** True if the parser has reached the end of the document, or if no document has arrived yet. */
  get isWhole(): boolean {
    return this.hasDomContent || this.#navigations === 0
  }

  hasFrame(frameId: string): boolean {
    return frameId === this.#frameId || this.#frames.has(frameId)
  }

  begin({ maxBytes }: { maxBytes: number }): void {
    this.#inFlight.clear()
    this.#ofFrames.clear()
    this.#entries.clear()
    this.#frames.clear()
    this.#failure = null
    this.#broken = unheard()
    this.#waiters = []
    this.#dialogs = this.#navigations = 0
    this.#maxBytes = maxBytes
    this.#shown = null
    this.document = new MainDocument()
    this.console = []
    this.hasDomContent = this.hasLoaded = this.isLed = false
  }

  /** Resolves when `isDone` returns true. Rejects if the page fails first. `isDone` is called after page events,
   *  responses and ended requests. */
  until(isDone: () => boolean): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (isDone()) return Promise.resolve()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiters.push({ isDone, resolve, reject })
    return promise
  }

  /** Rejects when the page fails, and never resolves. Other waits race against it. */
  get broken(): Promise<never> {
    return this.#broken.promise
  }

  fail(failure: Failure): void {
    this.#failure ??= failure
    this.#broken.reject(this.#failure)
    for (const { reject } of this.#waiters) reject(this.#failure)
    this.#waiters = []
  }

  #changed(): void {
    const done = this.#waiters.filter(waiter => waiter.isDone())
    if (done.length === 0) return
    this.#waiters = this.#waiters.filter(waiter => !done.includes(waiter))
    for (const { resolve } of done) resolve()
  }

  #listen(): void {
    const on: Session['on'] = (name, listener) => this.#session.on(name, listener)
    on('Network.requestWillBeSent', event => this.#requested(event))
    on('Network.requestWillBeSentExtraInfo', event => this.#sent(event))
    on('Network.responseReceived', event => this.#answered(event))
    on('Network.dataReceived', event => this.#received(event))
    on('Network.loadingFinished', ({ requestId }) => this.#ended(requestId, null))
    on('Network.loadingFailed', ({ requestId, errorText }) => this.#ended(requestId, errorText))
    on('Page.frameNavigated', event => this.#navigated(event))
    on('Page.domContentEventFired', () => this.#reached('hasDomContent'))
    on('Page.loadEventFired', () => this.#reached('hasLoaded'))
    on('Page.javascriptDialogOpening', event => this.#answerDialog(event))
    on('Inspector.targetCrashed', () => this.fail(crashed()))
    on('Runtime.consoleAPICalled', ({ type, args }) => this.#say(type, args.map(textOf).join(' ')))
    on('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception } }) =>
      this.#say('exception', exception?.description ?? text),
    )
  }

  /** Adds the requests of a frame in another process to the tab's requests. Some requests start in one session and end in
   *  another. */
  addFrame(session: Session): void {
    const ofFrame = (requestId: string) => void this.#ofFrames.set(requestId, session)
    session.on('Network.requestWillBeSent', event => {
      ofFrame(event.requestId)
      this.#requested(event)
    })
    session.on('Network.responseReceived', event => {
      ofFrame(event.requestId)
      this.#answered(event)
    })
    session.on('Network.dataReceived', event => this.#received(event))
    session.on('Network.loadingFinished', ({ requestId }) => this.#ended(requestId, null))
    session.on('Network.loadingFailed', ({ requestId, errorText }) => this.#ended(requestId, errorText))
    session.on('Page.frameNavigated', ({ frame }) => void this.#frames.add(frame.id))
    session.on('Page.javascriptDialogOpening', event => this.#answerDialog(event, session))
  }

  /** Ends the pending requests of a removed frame. The browser never reports their end. */
  removeFrame(session: Session): void {
    for (const [requestId, frame] of this.#ofFrames)
      if (frame === session && this.#inFlight.has(requestId)) this.#ended(requestId, aborted)
  }

  #requested(event: EventOf<'Network.requestWillBeSent'>): void {
    const { requestId, request, type = 'Other', frameId } = event
    if (frameId !== undefined) this.#frames.add(frameId)
    if (this.#isMainDocument(event)) {
      this.document = this.document.requested(event)
      this.document.sent(this.#early.requestId, this.#early.headers)
    }
    if (this.#entries.size < maxEntries && !request.url.startsWith('data:')) {
      const key = this.#entries.has(requestId) ? `${requestId} ${this.#entries.size}` : requestId
      this.#entries.set(key, { url: request.url, method: request.method, type, status: null, failed: null })
    }
    if (!openEnded.has(type)) this.#inFlight.set(requestId, type)
    this.activity++
  }

  #sent(event: EventOf<'Network.requestWillBeSentExtraInfo'>): void {
    if (this.document.isOf(event.requestId)) this.document.sent(event.requestId, event.headers)
    else if (!this.#entries.has(event.requestId)) this.#early = event
  }

  #isMainDocument({ requestId, loaderId, frameId, type }: EventOf<'Network.requestWillBeSent'>): boolean {
    return type === 'Document' && requestId === loaderId && frameId === this.#frameId
  }

  #answered({ requestId, response, type }: EventOf<'Network.responseReceived'>): void {
    this.document.answered(requestId, response)
    const entry = this.#entries.get(requestId)
    if (entry !== undefined) entry.status = response.status
    if (openEnded.has(type)) this.#inFlight.delete(requestId)
    this.#changed()
  }

  #received({ requestId, dataLength }: EventOf<'Network.dataReceived'>): void {
    this.activity++
    if (!this.document.received(requestId, dataLength, this.#maxBytes)) return
    this.fail(tooLarge(this.document.url, this.#maxBytes))
    // The failed page is discarded, so the rest of it need not load.
    this.#session.send('Page.stopLoading').catch(() => {})
  }

  #ended(requestId: string, failed: string | null): void {
    this.#inFlight.delete(requestId)
    this.#ofFrames.delete(requestId)
    const entry = this.#entries.get(requestId)
    if (entry !== undefined) entry.failed = failed
    if (failed === aborted && this.#shown && this.document.isOf(requestId)) this.#stays(this.#shown)
    this.activity++
    this.#changed()
  }

  /** Restores the shown document after a navigation that became a download or an empty response. It counts as loaded,
   *  because Chromium has stopped its parser and never reports the load. */
  #stays(shown: MainDocument): void {
    this.document = shown
    this.hasDomContent = this.hasLoaded = true
  }

  #navigated({ frame }: EventOf<'Page.frameNavigated'>): void {
    this.#frames.add(frame.id)
    if (frame.parentId !== undefined) return
    if (this.document.isOf(frame.loaderId)) this.#shown = this.document
    this.hasDomContent = this.hasLoaded = false
    if (++this.#navigations > maxNavigations && !this.isLed) this.fail(restless(frame.url))
    this.#changed()
  }

  #reached(mark: 'hasDomContent' | 'hasLoaded'): void {
    this[mark] = true
    this.#changed()
  }

  /** Accepts beforeunload dialogs and dismisses all other dialogs. */
  #answerDialog({ type, message }: EventOf<'Page.javascriptDialogOpening'>, session = this.#session): void {
    this.#say(type, message)
    if (++this.#dialogs > maxDialogs) return
    session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => {})
  }

  #say(kind: string, text: string): void {
    if (this.console.length < maxConsoleLines) this.console.push(`${kind}: ${text}`.slice(0, maxLineLength))
  }
}

/** A promise whose rejection does not crash the process if no code awaits it. */
function unheard(): PromiseWithResolvers<never> {
  const resolvers = Promise.withResolvers<never>()
  resolvers.promise.catch(() => {})
  return resolvers
}

function textOf({
  value,
  description,
  type,
}: {
  type: string
  value?: unknown
  description?: string
}): string {
  if (value === undefined) return description ?? type
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const crashed = () =>
  new Failure('browser.crashed', 'The page crashed: it used too much memory, or its process ended', {
    scope: 'page',
  })

const tooLarge = (url: string, maxBytes: number) =>
  new Failure('body.too-large', `${url} is larger than ${maxBytes} bytes; raise max_bytes in the policy`, {
    url,
    maxBytes,
  })

const restless = (url: string) =>
  new Failure('navigation.failed', `The page navigated more than ${maxNavigations} times, last to ${url}`, {
    url,
  })
